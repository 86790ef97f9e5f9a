# Builds the adapter in C. It needs a C compiler and Jansson (Debian: libjansson-dev).
CFLAGS ?= -O2 -g
l1_adapter: l1_adapter.c sut_client.c sut_client.h
	$(CC) -std=gnu17 -Wall -Wextra $(CFLAGS) -o $@ l1_adapter.c sut_client.c -ljansson
