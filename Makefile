# The same as start.py, for those who type make.
PYTHON ?= python3

.PHONY: lab test lint bench doctor
lab test lint bench doctor:
	$(PYTHON) start.py $@ $(ARGS)
