/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which channels belong to one GPU. Each driver counts them from 0 in its own order, so that across drivers only the PCI address
 * tells, which is part of the location of a GPU's channel: "pci 0000:65:00.0, ...".
 */
#ifndef WTL_MODEL_CARD_H
#define WTL_MODEL_CARD_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/channel.h>

/* The PCI address in a GPU's location, of ret_n characters; NULL = none. */
const char *wtl_card_address(const struct wattle_channel *channel, size_t *ret_n);

/* Whether two channels are of one socket, card and so on: the same index, unless both are of GPUs, of different sensors, with
 * known addresses, which then decide. */
bool wtl_same_card(const struct wattle_channel *a, const struct wattle_channel *b);

/* Whether its energy is that of a whole socket, processor and memory included (AMD MI300A, by the name in its label). */
bool wtl_is_apu(const struct wattle_channel *channel);

/* Whether it is a node sensor of one module of several: a socket with its memory and GPU (NVIDIA Grace, by the name in its label). */
bool wtl_is_module(const struct wattle_channel *channel);

#endif
