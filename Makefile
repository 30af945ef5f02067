.PHONY: demo
