/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's t and the normal distribution compared with scipy.stats 1.10 (t.ppf, accurate to eight
 * digits there, 2 t.sf, norm.ppf). */
#include <math.h>

#include "model/statistics/student.h"

#include "tap.h"

static const double probabilities[] = {0.6, 0.8, 0.975, 0.9999}, ts[] = {0.1, 2, 8};

static const struct row {
    double df, quantile[4], two_sided[3];
} rows[] = {
    {1,
     {0.32491969623407446, 1.3763819204924512, 12.706204736432095, 3183.0987571537103},
     {0.9365489651388929, 0.2951672353008664, 0.07916684832113108}},
    {2.5,
     {0.2814595125866358, 1.0101638770315524, 3.5746548420118773, 34.86796933237202},
     {0.9278065440624896, 0.157391495757966, 0.007656644131043445}},
    {4,
     {0.2707222947059493, 0.94096457719753, 2.7764451051977987, 13.033671721107503},
     {0.9251558409394532, 0.1161165235168155, 0.0013238969092171677}},
    {8,
     {0.26192109674883074, 0.8888895177669744, 2.3060041350333704, 6.4419998226048065},
     {0.9228049094305969, 0.08051623795726257, 4.3668260313280205e-05}},
    {9.37,
     {0.26065085278718836, 0.8816832067365895, 2.2486134263201585, 5.882265982262312},
     {0.9224513620319883, 0.07530237510191158, 1.7432865107980354e-05}},
    {30,
     {0.2556053644420514, 0.853767259839686, 2.0422724563012373, 4.233985956584213},
     {0.9210096117902711, 0.0546250449629831, 6.265822475700772e-09}},
    {200.5,
     {0.2536835374440965, 0.8434176313253916, 1.9718662903021063, 3.788943047511469},
     {0.9204442428699786, 0.04684980462644088, 9.789873078664825e-14}},
    {100000,
     {0.2533477771571799, 0.8416248279969011, 1.9599877075346093, 3.719154382641372},
     {0.9203445259067262, 0.045502963457506436, 1.2573919876256347e-15}},
    {1e+07,
     {0.25334710987600295, 0.8416212695170081, 1.959964221767205, 3.7190178643822778},
     {0.9203443274505524, 0.04550029089184294, 1.244323480280669e-15}},
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        for (size_t k = 0; k < 4; k++) {
            double want = row->quantile[k];
            is_double(wtl_student_quantile(probabilities[k], row->df), want, 1e-8 * want,
                      "quantile %g of %g degrees", probabilities[k], row->df);
            is_double(wtl_student_quantile(1 - probabilities[k], row->df), -want, 1e-8 * want,
                      "and on the other side");
        }
        for (double p = 0.55; p < 1; p += 0.0499)
            is_double(wtl_student_probability(wtl_student_quantile(p, row->df), row->df), p, 1e-13,
                      "there and back at %g", p);
        for (size_t k = 0; k < 3; k++) {
            double want = row->two_sided[k];
            is_double(wtl_student_two_sided(ts[k], row->df), want, 1e-9 * want,
                      "two-sided %g of %g degrees", ts[k], row->df);
            is_double(wtl_student_probability(ts[k], row->df), 1 - want / 2, 1e-10, "below it");
            is_double(wtl_student_probability(-ts[k], row->df), want / 2, 1e-9 * want, "below -t");
        }
    }
    is_double(wtl_normal_quantile(0.975), 1.959963984540054, 1e-12, "normal 0.975");
    is_double(wtl_normal_quantile(0.8), 0.8416212335729143, 1e-12, "normal 0.8");
    is_double(wtl_normal_quantile(0.999999), 4.753424308817087, 1e-9, "normal 0.999999");
    is_double(wtl_normal_quantile(0.5), 0, 0, "normal 0.5");
    is_double(wtl_normal_probability(1.959963984540054), 0.975, 1e-15, "and back");
    is_double(wtl_student_two_sided(0, 3), 1, 0, "all is as far from 0 as 0");
    is_double(wtl_student_two_sided(INFINITY, 3), 0, 0, "nothing as infinity");
    ok(isnan(wtl_student_quantile(0, 3)) && isnan(wtl_student_quantile(1, 3)) &&
           isnan(wtl_student_quantile(0.5, 0)) && isnan(wtl_student_quantile(0.5, NAN)) &&
           isnan(wtl_student_quantile(NAN, 3)) && isnan(wtl_student_two_sided(NAN, 3)),
       "outside there is nothing");
    return done_testing();
}
