/* SPDX-License-Identifier: BSD-3-Clause */
/* Secrets among arguments: see secrets.h. A text is read word by word; what a word implies for the next
 * one is kept as state. Hiding a value that is not secret costs a detail; showing one that is secret costs
 * more. */
#define _GNU_SOURCE
#include "base/secrets.h"

#include <string.h>
#include <strings.h>

static const char hidden[] = "(hidden)";
static const char *const schemes[] = {"Bearer", "Basic", NULL};
static const char blanks[] = " \t\n\r", ends[] = " \t\n\r'\"`";

/* Programs that take a password in a short option, attached to it or, if `apart`, also in the next
 * argument. From their manuals. */
static const struct wtl_secrets_program {
    const char *name; /* '*' at the end: matches all names with this prefix */
    char option;
    bool apart;
} programs[] = {
    {"mysql*", 'p', false}, {"mariadb*", 'p', false}, {"7z*", 'p', false},
    {"rar", 'p', false},    {"unrar", 'p', false},    {"sshpass", 'p', true},
    {"mongo*", 'p', true},  {"ipmi-*", 'p', true},    {"ipmitool", 'P', true},
    {"zip", 'P', true},     {"unzip", 'P', true},     {"sqlcmd", 'P', true},
    {"ldap*", 'w', true},   {"redis-cli", 'a', true}, {"docker", 'p', true},
    {"podman", 'p', true},  {"helm", 'p', true},      {"az", 'p', true},
    {"openssl", 'k', true},
};

/* Prefixes of service keys, whatever the name of their variable. From the documentation of the services. */
static const char *const tokens[] = {"ghp_", "gho_",  "ghs_",  "github_pat_", "glpat-", "hf_",
                                     "sk-",  "xoxb-", "xoxp-", "dckr_pat_",   "pypi-",  "npm_",
                                     "AKIA", "ASIA",  "eyJ",   "AIza",        "SG.",    "ya29."};
enum { TOKEN_MIN = 20 };

struct text {
    char *out;
    size_t room, used;
};

static void append(struct text *text, const char *from, size_t n)
{
    for (size_t i = 0; i < n && text->used + 1 < text->room; i++)
        text->out[text->used++] = from[i];
}

static void hide(struct text *text)
{
    append(text, hidden, sizeof hidden - 1);
}

static bool is_secret(const char *key, size_t n)
{
    static const char *const words[] = {"pass", "token",  "secret", "key",   "cred",
                                        "auth", "cookie", "pwd",    "passwd"};
    char lower[64];
    if (n >= sizeof lower)
        n = sizeof lower - 1;
    for (size_t i = 0; i < n; i++)
        lower[i] = (char)(key[i] >= 'A' && key[i] <= 'Z' ? key[i] + 32 : key[i]);
    lower[n] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(lower, words[i]))
            return true;
    }
    return false;
}

/* "--max-tokens 128", "--passes 3": a count. */
static bool is_plural(const char *key, size_t n)
{
    return n > 0 && key[n - 1] == 's';
}

static bool is_number(const char *value, size_t n)
{
    return n > 0 && n < 7 && strspn(value, "0123456789") >= n;
}

static bool is_word(const char *word, size_t n, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == n && strncasecmp(word, *words, n) == 0)
            return true;
    }
    return false;
}

/* Print USER:PASS without PASS; false: not of this form. */
static bool put_login(struct text *text, const char *word, size_t n)
{
    const char *colon = memchr(word, ':', n);
    if (!colon || colon + 1 == word + n)
        return false;
    append(text, word, (size_t)(colon - word) + 1);
    hide(text);
    return true;
}

/* The program that a word names, with or without a path; NULL: not in the table. */
static const struct wtl_secrets_program *program_of(const char *word, size_t n)
{
    const char *slash = memrchr(word, '/', n);
    const char *name = slash ? slash + 1 : word;
    size_t length = (size_t)(word + n - name);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        size_t whole = strlen(programs[i].name);
        bool prefix = programs[i].name[whole - 1] == '*';
        if (prefix ? length >= whole - 1 && strncmp(name, programs[i].name, whole - 1) == 0
                   : length == whole && strncmp(name, programs[i].name, whole) == 0)
            return &programs[i];
    }
    return NULL;
}

/* "a;", "|", "&&": the next word starts another command. */
static bool ends_command(const char *word, size_t n)
{
    return n > 0 && strchr(";|&", word[n - 1]);
}

/* Whether it is "-pPASS", or "-p" followed by PASS in quotes. */
static bool is_glued(const struct wtl_secrets *secrets, const char *word)
{
    return secrets->program && word[0] == '-' && word[1] == secrets->program->option;
}

/* "-pPASS", "-uUSER:PASS"; false: the word has neither form. */
static bool put_glued(struct wtl_secrets *secrets, struct text *text, const char *word, size_t n)
{
    bool login = n > 2 && word[0] == '-' && (word[1] == 'u' || word[1] == 'U');
    const struct wtl_secrets_program *program = secrets->program;
    if (program && is_glued(secrets, word)) {
        append(text, word, n < 2 ? n : 2);
        if (n > 2)
            hide(text);
        else
            secrets->next = program->apart || (word[n] && !strchr(blanks, word[n]));
        return true;
    }
    if (!login || !memchr(word, ':', n - 1))
        return false;
    append(text, word, 2);
    return put_login(text, word + 2, n - 2) || (append(text, word + 2, n - 2), true);
}

static bool is_token(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        if (n >= TOKEN_MIN && strncmp(word, tokens[i], strlen(tokens[i])) == 0)
            return true;
    }
    return false;
}

/* Whether a value must be hidden, because of the name of its key or because of its own form. */
static bool is_secret_pair(const char *key, size_t key_n, const char *value, size_t n)
{
    return (is_secret(key, key_n) && !(is_plural(key, key_n) && is_number(value, n))) ||
           is_token(value, n);
}

/* The next of several pairs in a word, as in "jdbc:mysql://h/d?user=u&password=p" or "user=u,password=p". */
static size_t part_of(const char *word, size_t n)
{
    size_t length = 0;
    while (length < n && !strchr("&;,?", word[length]))
        length++;
    return length;
}

/* Offset of the value after the first secret KEY= in a part, as in "--env=DB_PASSWORD=p"; 0: no secret. */
static size_t secret_in(const char *part, size_t n)
{
    size_t key = 0;
    for (const char *equals; (equals = memchr(part + key, '=', n - key));) {
        size_t value = (size_t)(equals - part) + 1;
        if (is_secret_pair(part + key, value - 1 - key, part + value, n - value))
            return value;
        key = value;
    }
    return 0;
}

/* Hide what precedes the @ in SCHEME://USER:PASS@HOST and in Oracle's USER/PASS@HOST. false: the word has
 * no such part. */
static bool put_url(struct text *text, const char *word, size_t n)
{
    static const char oracle[] = "jdbc:oracle:";
    const char *scheme = memmem(word, n, "://", 3), *at = NULL;
    const char *slash = n > sizeof oracle && strncmp(word, oracle, sizeof oracle - 1) == 0
                            ? memchr(word, '/', n)
                            : NULL;
    if (slash && (at = memchr(slash, '@', (size_t)(word + n - slash))))
        append(text, word, (size_t)(slash - word) + 1);
    else if (scheme && (at = memchr(scheme, '@', (size_t)(word + n - scheme))))
        append(text, word, (size_t)(scheme - word) + 3);
    if (!at)
        return false;
    hide(text);
    append(text, at, (size_t)(word + n - at));
    return true;
}

/* Print the value of a secret, n bytes up to its end; at the end of a word, the value may follow in quotes. */
static void put_value(struct wtl_secrets *secrets, struct text *text, const char *end, size_t n)
{
    if (n > 0)
        hide(text);
    else
        secrets->next = *end && strchr(ends, *end) && !strchr(blanks, *end);
}

/* Pairs within a word; if the first one is a secret, its value may contain separators. */
static void put_parts(struct wtl_secrets *secrets, struct text *text, const char *word, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t length = part_of(word + at, n - at), value = secret_in(word + at, length);
        if (value > 0 && at == 0)
            length = n;
        if (value > 0) {
            append(text, word + at, value);
            put_value(secrets, text, word + at + length, length - value);
        } else if (!put_url(text, word + at, length)) {
            append(text, word + at, length);
        }
        at += length;
        if (at < n)
            append(text, word + at++, 1);
    }
}

static bool has_secret_part(const char *word, size_t n)
{
    for (size_t at = 0, length; at < n; at += length + 1) {
        length = part_of(word + at, n - at);
        if (secret_in(word + at, length) > 0)
            return true;
    }
    return false;
}

/* KEY=VALUE, or a URL with a user; false: the word has neither form. */
static bool put_pair(struct wtl_secrets *secrets, struct text *text, const char *word, size_t n)
{
    static const char *const logins[] = {"--user", "--proxy-user", NULL};
    const char *equals = memchr(word, '=', n);
    size_t key = equals ? (size_t)(equals - word) : 0, value = equals ? n - key - 1 : 0;
    if (has_secret_part(word, n)) {
        put_parts(secrets, text, word, n);
        return true;
    }
    if (equals && is_word(word, key, logins)) {
        append(text, word, key + 1);
        if (!put_login(text, equals + 1, value))
            append(text, equals + 1, value);
        return true;
    }
    if (is_token(word, n)) {
        hide(text);
        return true;
    }
    return put_url(text, word, n);
}

/* Record what a word implies for the next one; the word is printed unchanged. An option with an attached
 * value implies nothing. */
static void announce(struct wtl_secrets *secrets, const char *word, size_t n)
{
    static const char *const logins[] = {"-u", "-U", "--user", "--proxy-user", NULL};
    bool option = n > 4 && word[0] == '-' && !memchr(word, '=', n); /* also "-passin" */
    size_t gap = strspn(word + n, blanks);
    bool assigned = gap > 0 && word[n + gap] == '='; /* "password = p" */
    secrets->login = is_word(word, n, logins);
    secrets->next = is_word(word, n, schemes) || ((option || assigned) && is_secret(word, n));
    secrets->count = is_plural(word, n);
    const struct wtl_secrets_program *program = program_of(word, n);
    if (program || ends_command(word, n))
        secrets->program = program;
}

/* After the name of a header: everything up to the closing quote is the value. */
static void put_header(struct text *text, const char **at)
{
    size_t lead = strspn(*at, blanks), length = strcspn(*at + lead, "'\"`");
    append(text, *at, lead);
    if (length > 0)
        hide(text);
    *at += lead + length;
}

/* The end of a quoted text; inside a quoted text its quotes are escaped with backslashes. */
static const char *end_of_quoted(const char *from, char quote, bool escaped)
{
    const char *end = from;
    while (*end && (*end != quote || (!escaped && end > from && end[-1] == '\\')))
        end++;
    return escaped && *end && end > from ? end - 1 : end;
}

/* The start of a JSON value, from the quote after its key. NULL: not a key. */
static const char *value_of(const char *at)
{
    if (*at != '"' && *at != '\'')
        return NULL;
    at += 1 + strspn(at + 1, blanks);
    return *at == ':' ? at + 1 + strspn(at + 1, blanks) : NULL;
}

/* Print the value of a JSON member whose key has been printed. false: not a member. at: the quote after
 * the key. */
static bool put_member(struct text *text, const char **at, const char *key, size_t n)
{
    const char *value = value_of(*at), *from = value, *end;
    if (!value || *value == '{' || *value == '[')
        return false;
    bool escaped = *value == '\\';
    char quote = value[escaped];
    if (quote == '"' || quote == '\'') {
        from = value + escaped + 1;
        end = end_of_quoted(from, quote, escaped);
    } else {
        end = value + strcspn(value, ",}]'\"` \t\n\r");
    }
    if (end == from || (is_plural(key, n) && is_number(from, (size_t)(end - from))))
        return false;
    append(text, *at, (size_t)(from - *at));
    hide(text);
    *at = end;
    return true;
}

/* A word that is not secret itself but may be the key of a secret that follows. */
static void put_key(struct wtl_secrets *secrets,
                    struct text *text,
                    const char **at,
                    const char *word,
                    size_t n)
{
    const char *colon = memchr(word, ':', n);
    append(text, word, n);
    if (colon && colon + 1 == word + n && is_secret(word, n - 1) && (*at)[0] == ' ') {
        put_header(text, at);
        return;
    }
    size_t key = n - (n > 0 && word[n - 1] == '\\');
    if (!is_secret(word, key) || !put_member(text, at, word, key))
        announce(secrets, word, n);
}

static void put_word(struct wtl_secrets *secrets, struct text *text, const char **at)
{
    const char *word = *at;
    size_t n = strcspn(word, ends);
    struct wtl_secrets was = *secrets;
    *secrets = (struct wtl_secrets){.program = was.program};
    *at += n;
    if (was.next && n == 1 && word[0] == '=') {
        append(text, word, n);
        secrets->next = true;
        secrets->count = was.count;
        return;
    }
    if (was.next && word[0] != '-' && !(was.count && is_number(word, n))) {
        secrets->next = is_word(word, n, schemes);
        if (secrets->next)
            append(text, word, n);
        else
            hide(text);
        return;
    }
    if (was.login && put_login(text, word, n))
        return;
    if (put_glued(secrets, text, word, n))
        return;
    if (put_pair(secrets, text, word, n))
        return;
    put_key(secrets, text, at, word, n);
}

/* A quoted text that is a secret as a whole; false: it is not. */
static bool put_quoted(struct wtl_secrets *secrets, struct text *text, const char **at)
{
    char quote = **at;
    const char *end = strchr(*at + 1, quote);
    if (!secrets->next || !end)
        return false;
    append(text, &quote, 1);
    hide(text);
    append(text, &quote, 1);
    *at = end + 1;
    secrets->next = false;
    return true;
}

static void put_text(struct wtl_secrets *secrets, struct text *text, const char *at)
{
    while (*at) {
        size_t gap = strspn(at, blanks);
        append(text, at, gap);
        at += gap;
        if (!*at)
            return;
        if (strchr(ends, *at)) {
            if (!put_quoted(secrets, text, &at))
                append(text, at++, 1);
            continue;
        }
        put_word(secrets, text, &at);
    }
}

size_t wtl_secrets_argument(struct wtl_secrets *secrets, const char *argument, char *out, size_t n)
{
    struct text text = {.out = out, .room = n};
    bool whole = secrets->next && argument[0] != '-' && strpbrk(argument, blanks);
    bool glued = is_glued(secrets, argument) && argument[2];
    if (whole || glued) {
        append(&text, argument, glued ? 2 : 0);
        hide(&text);
        *secrets = (struct wtl_secrets){.program = secrets->program};
    } else {
        put_text(secrets, &text, argument);
    }
    if (n > 0)
        out[text.used] = '\0';
    return text.used;
}

void wtl_secrets_line(const char *line, char *out, size_t n)
{
    struct wtl_secrets secrets = {0};
    struct text text = {.out = out, .room = n};
    put_text(&secrets, &text, line);
    if (n > 0)
        out[text.used] = '\0';
}

size_t wtl_secrets_room(const char *argument)
{
    return strlen(argument) * sizeof hidden + sizeof hidden; /* each byte may be a separate word */
}

size_t wtl_secrets_arguments(const char *text, size_t n, char *out, size_t room)
{
    struct wtl_secrets secrets = {0};
    size_t used = 0;
    char argument[4096];
    if (room > 0)
        out[0] = '\0';
    for (size_t at = 0; at < n && used + 1 < room;) {
        size_t length = strnlen(text + at, n - at);
        size_t kept = length < sizeof argument ? length : sizeof argument - 1;
        memcpy(argument, text + at, kept);
        argument[kept] = '\0';
        if (at > 0)
            out[used++] = ' ';
        used += wtl_secrets_argument(&secrets, argument, out + used, room - used);
        at += length + 1;
    }
    return used;
}
