/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RAPL by processor model: see rapl_table.h. Sorted by vendor, family, model; checked by
 * tests/unit/sensors/test_rapl_table.c.
 *
 * Sources of the rows, as of November 2026:
 *   [P] Linux arch/x86/events/rapl.c, 6.14: which registers a model has, unit exceptions
 *   [C] Linux drivers/powercap/intel_rapl_common.c, 6.14, 6.19: Atom units, models missing in [P]
 *   [S] Intel SDM vol. 4, register 0x606 and the energy registers of each model's table
 *   [H] Xeon E5-1600/2600 v3 datasheet vol. 2 (330784): DRAM unit 15.3 uJ
 *   [A] AMD PPR for family 17h model 31h (55803): 0xC0010299, 0xC001029A, 0xC001029B
 *   [T] Linux tools/power/x86/turbostat/turbostat.c, 6.19: servers missing in [P] and [C], because
 *       the kernel reads their RAPL through TPMI (intel_rapl_tpmi); they still have the registers.
 *       Diamond Rapids (family 19) has none
 *   [G] GEOPM's register tables (docs/json_data), for comparison
 * The DRAM unit of Sapphire Rapids: [P] and [C] take it from the register since 2022, [G] has 2^-16 J, a
 * quarter of that. We follow [P] and [C], whose authors build the processor.
 * psys of Sierra Forest and related models is left out: [T] takes its unit from the register, while Granite
 * Rapids on the same platform counts joules, which would be off by 16384 if it were wrong.
 * A register that a model does not implement reads 0 and gives no channel, so a row may list more registers
 * than a part has.
 */
#include "sensors/rapl_table.h"

#include <math.h>

#define R WTL_RAPL_UNIT_REGISTER
#define A WTL_RAPL_UNIT_ATOM
#define F WTL_RAPL_UNIT_2_16
#define J WTL_RAPL_UNIT_1_J

#define SNB_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_CORE | WTL_RAPL_UNCORE)
#define SNX_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_CORE | WTL_RAPL_DRAM)
#define HSW_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_CORE | WTL_RAPL_UNCORE | WTL_RAPL_DRAM)
#define HSX_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_CORE | WTL_RAPL_DRAM)
#define KNL_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_DRAM)
#define SKL_DOMAINS \
    (WTL_RAPL_PACKAGE | WTL_RAPL_CORE | WTL_RAPL_UNCORE | WTL_RAPL_DRAM | WTL_RAPL_PSYS)
#define SPR_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_CORE | WTL_RAPL_DRAM | WTL_RAPL_PSYS)
#define GNR_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_DRAM | WTL_RAPL_PSYS)
#define SRF_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_DRAM)
#define SLM_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_CORE)
#define AMD_DOMAINS (WTL_RAPL_PACKAGE | WTL_RAPL_PER_CORE)

const struct wtl_rapl_model wtl_rapl_models[] = {
    /* vendor, family, model, domains, unit, dram unit, psys unit, per die */
    {WTL_RAPL_INTEL, 6, 42, SNB_DOMAINS, R, R, R, 0}, /* Sandy Bridge [P] */
    {WTL_RAPL_INTEL, 6, 45, SNX_DOMAINS, R, R, R, 0}, /* Sandy Bridge-EP [P] */
    {WTL_RAPL_INTEL, 6, 55, SLM_DOMAINS, A, A, A, 0}, /* Silvermont, Bay Trail [C] */
    {WTL_RAPL_INTEL, 6, 58, SNB_DOMAINS, R, R, R, 0}, /* Ivy Bridge [P] */
    {WTL_RAPL_INTEL, 6, 60, HSW_DOMAINS, R, R, R, 0}, /* Haswell [P] */
    {WTL_RAPL_INTEL, 6, 61, HSW_DOMAINS, R, R, R, 0}, /* Broadwell [P] */
    {WTL_RAPL_INTEL, 6, 62, SNX_DOMAINS, R, R, R, 0}, /* Ivy Bridge-EP [P] */
    {WTL_RAPL_INTEL, 6, 63, HSX_DOMAINS, R, F, R, 0}, /* Haswell-EP [P][H] */
    {WTL_RAPL_INTEL, 6, 69, HSW_DOMAINS, R, R, R, 0}, /* Haswell-U [P] */
    {WTL_RAPL_INTEL, 6, 70, HSW_DOMAINS, R, R, R, 0}, /* Haswell with GT3e [P] */
    {WTL_RAPL_INTEL, 6, 71, HSW_DOMAINS, R, R, R, 0}, /* Broadwell with GT3e [P] */
    {WTL_RAPL_INTEL, 6, 74, SLM_DOMAINS, A, A, A, 0}, /* Silvermont, Merrifield [C] */
    {WTL_RAPL_INTEL, 6, 76, SLM_DOMAINS, A, A, A, 0}, /* Airmont, Cherry Trail [C] */
    {WTL_RAPL_INTEL, 6, 78, SKL_DOMAINS, R, R, R, 0}, /* Skylake-U/Y [P] */
    {WTL_RAPL_INTEL, 6, 79, HSX_DOMAINS, R, F, R, 0}, /* Broadwell-EP [P][H] */
    {WTL_RAPL_INTEL, 6, 85, HSX_DOMAINS, R, F, R,
     1}, /* Skylake-SP, Cascade Lake, Cooper Lake [P][H] */
    {WTL_RAPL_INTEL, 6, 86, HSX_DOMAINS, R, F, R, 0},  /* Broadwell-DE [P][H] */
    {WTL_RAPL_INTEL, 6, 87, KNL_DOMAINS, R, F, R, 0},  /* Knights Landing [P][S] */
    {WTL_RAPL_INTEL, 6, 90, SLM_DOMAINS, A, A, A, 0},  /* Airmont, Moorefield [C] */
    {WTL_RAPL_INTEL, 6, 92, HSW_DOMAINS, R, R, R, 0},  /* Goldmont, Apollo Lake [P] */
    {WTL_RAPL_INTEL, 6, 94, SKL_DOMAINS, R, R, R, 0},  /* Skylake-S/H [P] */
    {WTL_RAPL_INTEL, 6, 95, HSW_DOMAINS, R, R, R, 0},  /* Goldmont, Denverton [P] */
    {WTL_RAPL_INTEL, 6, 102, SKL_DOMAINS, R, R, R, 0}, /* Cannon Lake [P] */
    {WTL_RAPL_INTEL, 6, 106, HSX_DOMAINS, R, F, R, 0}, /* Ice Lake-SP [P][H] */
    {WTL_RAPL_INTEL, 6, 108, HSX_DOMAINS, R, F, R, 0}, /* Ice Lake-D [P][H] */
    {WTL_RAPL_INTEL, 6, 122, HSW_DOMAINS, R, R, R, 0}, /* Goldmont Plus [P] */
    {WTL_RAPL_INTEL, 6, 125, SKL_DOMAINS, R, R, R, 0}, /* Ice Lake [P] */
    {WTL_RAPL_INTEL, 6, 126, SKL_DOMAINS, R, R, R, 0}, /* Ice Lake-U [P] */
    {WTL_RAPL_INTEL, 6, 133, KNL_DOMAINS, R, F, R, 0}, /* Knights Mill [P][S] */
    {WTL_RAPL_INTEL, 6, 134, HSW_DOMAINS, R, R, R, 0}, /* Tremont-D, Snow Ridge [C] */
    {WTL_RAPL_INTEL, 6, 138, SKL_DOMAINS, R, R, R, 0}, /* Lakefield [C] */
    {WTL_RAPL_INTEL, 6, 140, SKL_DOMAINS, R, R, R, 0}, /* Tiger Lake-U [P] */
    {WTL_RAPL_INTEL, 6, 141, SKL_DOMAINS, R, R, R, 0}, /* Tiger Lake-H [P] */
    {WTL_RAPL_INTEL, 6, 142, SKL_DOMAINS, R, R, R, 0}, /* Kaby Lake-U [P] */
    {WTL_RAPL_INTEL, 6, 143, SPR_DOMAINS, R, R, J, 0}, /* Sapphire Rapids [P][S] */
    {WTL_RAPL_INTEL, 6, 150, HSW_DOMAINS, R, R, R, 0}, /* Tremont, Elkhart Lake [C] */
    {WTL_RAPL_INTEL, 6, 151, SKL_DOMAINS, R, R, R, 0}, /* Alder Lake-S [P] */
    {WTL_RAPL_INTEL, 6, 154, SKL_DOMAINS, R, R, R, 0}, /* Alder Lake-P [P] */
    {WTL_RAPL_INTEL, 6, 156, HSW_DOMAINS, R, R, R, 0}, /* Tremont, Jasper Lake [C] */
    {WTL_RAPL_INTEL, 6, 158, SKL_DOMAINS, R, R, R, 0}, /* Kaby Lake-S, Coffee Lake [P] */
    {WTL_RAPL_INTEL, 6, 165, SKL_DOMAINS, R, R, R, 0}, /* Comet Lake-S [P] */
    {WTL_RAPL_INTEL, 6, 166, SKL_DOMAINS, R, R, R, 0}, /* Comet Lake-U [P] */
    {WTL_RAPL_INTEL, 6, 167, SKL_DOMAINS, R, R, R, 0}, /* Rocket Lake [C] */
    {WTL_RAPL_INTEL, 6, 170, SKL_DOMAINS, R, R, R, 0}, /* Meteor Lake-L [P] */
    {WTL_RAPL_INTEL, 6, 172, SKL_DOMAINS, R, R, R, 0}, /* Meteor Lake [P] */
    {WTL_RAPL_INTEL, 6, 173, GNR_DOMAINS, R, R, J, 0}, /* Granite Rapids [T] */
    {WTL_RAPL_INTEL, 6, 174, GNR_DOMAINS, R, R, J, 0}, /* Granite Rapids-D [T] */
    {WTL_RAPL_INTEL, 6, 175, SRF_DOMAINS, R, R, R, 0}, /* Sierra Forest [T] */
    {WTL_RAPL_INTEL, 6, 181, SKL_DOMAINS, R, R, R, 0}, /* Arrow Lake-U [P] */
    {WTL_RAPL_INTEL, 6, 182, SRF_DOMAINS, R, R, R, 0}, /* Grand Ridge [T] */
    {WTL_RAPL_INTEL, 6, 183, SKL_DOMAINS, R, R, R, 0}, /* Raptor Lake-S [P] */
    {WTL_RAPL_INTEL, 6, 186, SKL_DOMAINS, R, R, R, 0}, /* Raptor Lake-P [P] */
    {WTL_RAPL_INTEL, 6, 189, SKL_DOMAINS, R, R, R, 0}, /* Lunar Lake [P] */
    {WTL_RAPL_INTEL, 6, 190, SKL_DOMAINS, R, R, R, 0}, /* Alder Lake-N (Gracemont) [P] */
    {WTL_RAPL_INTEL, 6, 191, SKL_DOMAINS, R, R, R, 0}, /* Raptor Lake refresh (S) [P] */
    {WTL_RAPL_INTEL, 6, 197, SKL_DOMAINS, R, R, R, 0}, /* Arrow Lake-H [P] */
    {WTL_RAPL_INTEL, 6, 198, SKL_DOMAINS, R, R, R, 0}, /* Arrow Lake-S [P] */
    {WTL_RAPL_INTEL, 6, 204, SKL_DOMAINS, R, R, R, 0}, /* Panther Lake [C] */
    {WTL_RAPL_INTEL, 6, 207, SPR_DOMAINS, R, R, J, 0}, /* Emerald Rapids [P][S] */
    {WTL_RAPL_INTEL, 6, 213, SKL_DOMAINS, R, R, R, 0}, /* Wildcat Lake [C] */
    {WTL_RAPL_INTEL, 6, 215, SKL_DOMAINS, R, R, R, 0}, /* Bartlett Lake [C] */
    {WTL_RAPL_INTEL, 6, 221, SRF_DOMAINS, R, R, R, 0}, /* Clearwater Forest [T] */
    {WTL_RAPL_AMD, 0x17, WTL_RAPL_ANY_MODEL, AMD_DOMAINS, R, R, R, 0}, /* Zen, Zen 2 [P][A] */
    {WTL_RAPL_AMD, 0x18, WTL_RAPL_ANY_MODEL, AMD_DOMAINS, R, R, R, 0}, /* Hygon Dhyana [P] */
    {WTL_RAPL_AMD, 0x19, WTL_RAPL_ANY_MODEL, AMD_DOMAINS, R, R, R, 0}, /* Zen 3, Zen 4 [P] */
    {WTL_RAPL_AMD, 0x1a, WTL_RAPL_ANY_MODEL, AMD_DOMAINS, R, R, R, 0}, /* Zen 5 [P] */
};

const size_t wtl_rapl_model_count = sizeof wtl_rapl_models / sizeof *wtl_rapl_models;

const struct wtl_rapl_model *wtl_rapl_find(enum wtl_rapl_vendor vendor,
                                           unsigned family,
                                           unsigned model)
{
    for (size_t i = 0; i < wtl_rapl_model_count; i++) {
        const struct wtl_rapl_model *row = &wtl_rapl_models[i];
        if (row->vendor == vendor && row->family == family &&
            (row->model == model || row->model == WTL_RAPL_ANY_MODEL))
            return row;
    }
    return NULL;
}

double wtl_rapl_unit_j(enum wtl_rapl_unit unit, uint64_t unit_register)
{
    int exponent = (int)(unit_register >> 8 & 0x1f); /* ESU, bits 12:8 */
    switch (unit) {
    case WTL_RAPL_UNIT_ATOM:
        return ldexp(1e-6, exponent);
    case WTL_RAPL_UNIT_2_16:
        return ldexp(1.0, -16);
    case WTL_RAPL_UNIT_1_J:
        return 1.0;
    default:
        return ldexp(1.0, -exponent);
    }
}
