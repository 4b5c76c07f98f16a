/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/noise.h"

#include <math.h>

#include "base/random.h"

static const double sqrt3 = 1.7320508075688772, pi = 3.14159265358979323846;

/* Densities with maximum 1, their inverses, and the area beyond x. */
static double density(bool heavy, double x)
{
    double q = 1 + x * x / 3;
    return heavy ? 1 / (q * q) : exp(-x * x / 2);
}

static double where(bool heavy, double y)
{
    return heavy ? sqrt(3 * (1 / sqrt(y) - 1)) : sqrt(-2 * log(y));
}

static double beyond(bool heavy, double x)
{
    if (heavy)
        return sqrt3 / 2 * atan2(sqrt3, x) - x / 2 / (1 + x * x / 3);
    return sqrt(pi / 2) * erfc(x / sqrt(2));
}

/* Fill the layers for a tail that starts at r: whether they end above the top, so that r must grow. */
static bool fill(struct wtl_noise_source *noise, double r)
{
    double area = r * density(noise->heavy, r) + beyond(noise->heavy, r);
    noise->x[0] = area / density(noise->heavy, r);
    noise->x[1] = r;
    noise->at[1] = density(noise->heavy, r);
    for (int i = 1; i < WTL_NOISE_LAYERS; i++) {
        double y = noise->at[i] + area / noise->x[i];
        if (i + 1 == WTL_NOISE_LAYERS || y >= 1) {
            noise->x[WTL_NOISE_LAYERS] = 0;
            noise->at[WTL_NOISE_LAYERS] = 1;
            return y >= 1;
        }
        noise->x[i + 1] = where(noise->heavy, y);
        noise->at[i + 1] = y;
    }
    return false;
}

void wtl_noise_init(struct wtl_noise_source *noise, bool heavy, uint64_t stream)
{
    *noise = (struct wtl_noise_source){.heavy = heavy, .unit = heavy ? 1 / sqrt3 : 1};
    for (unsigned i = 0; i < 4; i++)
        noise->state[i] = wtl_random_bits(stream, i);
    double low = 1, high = 100; /* 60 halvings reach the last bit */
    for (int i = 0; i < 60; i++) {
        double r = (low + high) / 2;
        if (fill(noise, r))
            low = r;
        else
            high = r;
    }
    (void)fill(noise, high);
}

static double tail(struct wtl_noise_source *noise)
{
    double r = noise->x[1], x, y;
    if (noise->heavy) {
        do { /* a Pareto tail of x^-4 lies above */
            x = r / cbrt(1 - wtl_noise_uniform(noise));
            y = x * x / (3 + x * x);
        } while (wtl_noise_uniform(noise) >= y * y);
        return x;
    }
    do {
        x = -log(1 - wtl_noise_uniform(noise)) / r;
        y = -log(1 - wtl_noise_uniform(noise));
    } while (2 * y <= x * x);
    return r + x;
}

double wtl_noise_slow(struct wtl_noise_source *noise, unsigned layer, double x)
{
    for (;;) {
        double size = fabs(x);
        if (size < noise->x[layer + 1])
            return x;
        if (layer == 0)
            return copysign(tail(noise), x);
        double low = noise->at[layer], top = noise->at[layer + 1];
        if (low + wtl_noise_uniform(noise) * (top - low) < density(noise->heavy, size))
            return x;
        uint64_t bits = wtl_noise_bits(noise);
        layer = bits & (WTL_NOISE_LAYERS - 1);
        x = (double)((int64_t)bits >> 11) * 0x1p-52 * noise->x[layer];
    }
}
