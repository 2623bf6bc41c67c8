# The same as start.py, for those who type make.
PYTHON ?= python3

.PHONY: lab test lint bench
lab test lint bench:
	$(PYTHON) start.py $@ $(ARGS)
