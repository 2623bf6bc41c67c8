// Runs in the browser as a card appears (onload of a pixel in it; `this` is the pixel, which may not be in its card
// yet) and when the card changes.
// Names every control that ipywidgets leaves without a name, keeps the notebook's shortcuts off ('b' on a button
// inserts a cell, arrows never reach a slider), announces the sentence, and lets keys press the buttons of class
// ae-key-<key> while the picture has the focus. No semicolon may be left out: lines are joined.
const start = card => {
  const title = () => card.querySelector('.ae-title > span')?.textContent ?? '';
  const set = (e, attributes) => {
    for (const [k, v] of Object.entries(attributes)) if (e.getAttribute(k) !== v) e.setAttribute(k, v);
  };
  const all = (selector, act) => card.querySelectorAll(selector).forEach(act);
  const name = widget => {
    const label = widget.querySelector(':scope > .widget-label').textContent.replace('\u200b', '').trim();
    if (!label) return;
    if (widget.querySelector('[type=radio]')) set(widget, {role: 'radiogroup', 'aria-label': label});
    else widget.querySelectorAll('.noUi-handle, input, select, textarea').forEach(e => set(e, {'aria-label': label}));
  };
  const cure = () => {
    set(card, {role: 'group', 'aria-label': title(), 'data-lm-suppress-shortcuts': 'true'});
    all('button, input, select, textarea, .noUi-handle, .ae-keys', e => set(e, {'data-lm-suppress-shortcuts': 'true'}));
    all(':has(> .widget-label)', name);
    all('button[title]:empty', e => set(e, {'aria-label': e.title}));
    all('.ae-live', e => set(e, {'aria-live': 'polite'}));
    all('.ae-keys', e => set(e, {tabindex: '0', role: 'group', 'aria-label': title() + ': picture'}));
  };
  const press = event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !event.target.closest('.ae-keys')) return;
    const button = card.querySelector('.ae-key-' + (event.key === ' ' ? 'Space' : event.key));
    if (button) { event.preventDefault(); button.click(); }
  };
  const places = {x: 0, y: 0}; /* of all scrollers: they move together and stay where they were in another picture */
  const together = event => {
    const moved = event.target;
    if (!moved.classList?.contains('ae-scroller') || moved.aeAt === moved.scrollLeft + ' ' + moved.scrollTop) return;
    places.x = moved.scrollLeft; places.y = moved.scrollTop;
    all('.ae-scroller', back);
  };
  const back = e => { /* a shorter one stops at its end, which moves no other */
    e.scrollLeft = places.x; e.scrollTop = places.y;
    e.aeAt = e.scrollLeft + ' ' + e.scrollTop;
  };
  const follow = () => { /* brings the cycle and the first row under way into view when they are others */
    const at = card.querySelector('[data-x]'), e = card.querySelector('.ae-scroller');
    if (!at || !e || places.at === at.dataset.x + ' ' + at.dataset.y) return;
    places.at = at.dataset.x + ' ' + at.dataset.y;
    const [x, y] = places.at.split(' ').map(Number), [head, , foot] = [...e.children].map(part => part.offsetHeight);
    const wide = e.clientWidth - e.querySelector('.ae-names').getBoundingClientRect().width;
    const high = e.clientHeight - head - foot;
    if (x < e.scrollLeft || x + 10 > e.scrollLeft + wide) places.x = Math.max(0, x - wide / 2);
    if (y < e.scrollTop || y > e.scrollTop + high / 2) places.y = Math.max(0, y - 30);
  };
  const changed = () => { cure(); follow(); all('.ae-scroller', back); };
  if (card.aeCured) return cure();
  card.aeCured = true;
  changed();
  new MutationObserver(changed).observe(card, {childList: true, subtree: true});
  card.addEventListener('scroll', together, true);
  card.addEventListener('keydown', press);
};
const wait = left => {
  const card = this.closest('.ae-card');
  if (card) start(card); else if (left) setTimeout(wait, 100, left - 1);
};
wait(600);
