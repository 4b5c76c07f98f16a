/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_words.h"

#include <string.h>

typedef int call_2(mpi_word, mpi_word);
typedef mpi_word from_fortran(mpi_word);

static struct {
    bool known, open_mpi;
    call_2 *type_size;
    from_fortran *type, *comm; /* Open MPI; in MPICH handles are the same numbers */
    mpi_word comm_null;
    const void *const *fortran_ignore, *const *fortran_ignore_all;
    mpi_word f08_ignore, f08_ignore_all; /* addresses */
} mpi;

static void find(void *ret_function, const char *name)
{
    void *symbol = mpi_symbol(name);

    memcpy(ret_function, &symbol, sizeof(symbol));
}

void call_words_open(bool open_mpi)
{
    mpi.open_mpi = open_mpi;
    find(&mpi.type_size, "PMPI_Type_size");
    mpi.fortran_ignore = mpi_symbol("MPI_F_STATUS_IGNORE");
    mpi.fortran_ignore_all = mpi_symbol("MPI_F_STATUSES_IGNORE");
    if (open_mpi) {
        find(&mpi.type, "PMPI_Type_f2c");
        find(&mpi.comm, "PMPI_Comm_f2c");
        mpi.comm_null = (mpi_word)mpi_symbol("ompi_mpi_comm_null");
        mpi.f08_ignore = (mpi_word)mpi_symbol("mpi_fortran_status_ignore_");
        mpi.f08_ignore_all = (mpi_word)mpi_symbol("mpi_fortran_statuses_ignore_");
    } else {
        mpi.f08_ignore = (mpi_word)mpi_symbol("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
        mpi.f08_ignore_all = (mpi_word)mpi_symbol("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
        mpi.comm_null = 0x04000000;
    }
    mpi.known = mpi.type_size && (!open_mpi || (mpi.type && mpi.comm));
}

bool call_words_known(void)
{
    return mpi.known;
}

static int int_at(mpi_word address)
{
    return *(const int *)address; /* NOLINT: an argument of the caller */
}

static mpi_word word_of(const struct call_site *site, const mpi_word *words, char letter)
{
    return words[call_shape_place(&site->shape, letter)];
}

int64_t call_number(const struct call_site *site, const mpi_word *words, char letter)
{
    mpi_word word = word_of(site, words, letter);

    if (site->language != CALL_C)
        return int_at(word);
    return site->large && (letter == 'n' || letter == 'N') ? (int64_t)word : (int)word;
}

static mpi_word handle_of(const struct call_site *site, mpi_word word, from_fortran *convert)
{
    if (site->language != CALL_C)
        return mpi.open_mpi ? convert((mpi_word)int_at(word)) : (mpi_word)(unsigned)int_at(word);
    return mpi.open_mpi ? word : (mpi_word)(unsigned)word;
}

mpi_word call_comm(const struct call_site *site, const mpi_word *words)
{
    return handle_of(site, word_of(site, words, 'c'), mpi.comm);
}

mpi_word call_new_comm(const struct call_site *site, const mpi_word *words)
{
    mpi_word word = word_of(site, words, 'C');

    if (site->language != CALL_C)
        word = handle_of(site, word, mpi.comm);
    else
        word =
            mpi.open_mpi ? *(const mpi_word *)word : (mpi_word)(unsigned)int_at(word); /* NOLINT */
    return word == mpi.comm_null ? 0 : word;
}

int64_t call_type_size(const struct call_site *site, const mpi_word *words, char letter)
{
    int size = -1;

    if (mpi.type_size(handle_of(site, word_of(site, words, letter), mpi.type), (mpi_word)&size) !=
        0)
        return -1;
    return size < 0 ? -1 : size;
}

int64_t call_element(const struct call_site *site, mpi_word array, size_t i, bool is_count)
{
    if (is_count && site->large && site->language == CALL_C)
        return ((const int64_t *)array)[i]; /* NOLINT: an argument of the caller */
    return ((const int *)array)[i];         /* NOLINT */
}

mpi_word call_request(const struct call_site *site, mpi_word array, size_t i)
{
    if (site->language == CALL_C && mpi.open_mpi)
        return ((const mpi_word *)array)[i];       /* NOLINT: an argument of the caller */
    return (mpi_word)((const unsigned *)array)[i]; /* NOLINT */
}

bool call_status_ignored(const struct call_site *site, mpi_word word)
{
    if (site->language == CALL_C)
        return word == (mpi.open_mpi ? 0 : 1);
    if (site->language == CALL_F08)
        return word == mpi.f08_ignore || word == mpi.f08_ignore_all;
    return site->language == CALL_FORTRAN &&
           ((mpi.fortran_ignore && word == (mpi_word)*mpi.fortran_ignore) ||
            (mpi.fortran_ignore_all && word == (mpi_word)*mpi.fortran_ignore_all));
}

bool call_status_read(const struct call_site *site,
                      mpi_word word,
                      size_t i,
                      struct call_status *ret)
{
    bool known = site->language == CALL_C ||
                 (site->language == CALL_F08 && mpi.f08_ignore && mpi.f08_ignore_all) ||
                 (site->language == CALL_FORTRAN && mpi.fortran_ignore && mpi.fortran_ignore_all);

    if (!known || call_status_ignored(site, word))
        return false;
    if (mpi.open_mpi) {
        const struct {
            int source, tag, error, cancelled;
            uint64_t bytes;
        } *status = (const void *)(word + i * sizeof(*status)); /* NOLINT: as in mpi.h */

        *ret = (struct call_status){status->source, status->tag, status->bytes};
        return true;
    }
    const struct {
        uint32_t low, high_and_cancelled;
        int source, tag, error;
    } *status = (const void *)(word + i * sizeof(*status)); /* NOLINT: as in mpi.h */

    *ret = (struct call_status){status->source, status->tag,
                                (uint64_t)(status->high_and_cancelled >> 1) << 32 | status->low};
    return true;
}

bool call_in_place(const struct call_site *site, mpi_word buffer)
{
    return site->language == CALL_C && buffer == (mpi.open_mpi ? 1 : UINTPTR_MAX);
}
