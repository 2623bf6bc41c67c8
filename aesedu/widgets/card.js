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
  cure();
  if (card.aeCured) return;
  card.aeCured = true;
  new MutationObserver(cure).observe(card, {childList: true, subtree: true});
  card.addEventListener('keydown', press);
};
const wait = left => {
  const card = this.closest('.ae-card');
  if (card) start(card); else if (left) setTimeout(wait, 100, left - 1);
};
wait(600);
