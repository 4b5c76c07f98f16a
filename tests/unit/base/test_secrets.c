/* SPDX-License-Identifier: BSD-3-Clause */
/* Each form of a secret among arguments is hidden, and everything else is kept. */
#include "base/secrets.h"

#include "tap.h"

static void test_lines(void)
{
    static const struct row {
        int line;
        const char *text, *shown;
    } rows[] = {
        {__LINE__, "ro quiet", "ro quiet"},
        {__LINE__, "root=/dev/sda1 luks_key=abc x", "root=/dev/sda1 luks_key=(hidden) x"},
        {__LINE__, "PASSWORD=a b", "PASSWORD=(hidden) b"},
        {__LINE__, "ds=http://u:p@h/x", "ds=http://(hidden)@h/x"},
        {__LINE__, "http://h/x?a@b", "http://(hidden)@b"},
        {__LINE__, "", ""},
        {__LINE__, "  a  ", "  a  "},
        {__LINE__, "curl -u me:pw http://h | sort", "curl -u me:(hidden) http://h | sort"},
        {__LINE__, "curl -H 'Authorization: Bearer abc' h", "curl -H 'Authorization: (hidden)' h"},
        {__LINE__, "PASSWORD='a b' ./x", "PASSWORD='(hidden)' ./x"},
        {__LINE__, "x --token \"a b\" y", "x --token \"(hidden)\" y"},
        {__LINE__, "mysql -h db -pab c", "mysql -h db -p(hidden) c"},
        {__LINE__, "mysql -p'a b' c", "mysql -p'(hidden)' c"},
        {__LINE__, "jdbc:mysql://h/d?user=u&password=p x",
         "jdbc:mysql://h/d?user=u&password=(hidden) x"},
        {__LINE__, "jdbc:mysql://h/d?password=p&user=u",
         "jdbc:mysql://h/d?password=(hidden)&user=u"},
        {__LINE__, "jdbc:sqlserver://h;user=u;password=p;x=1",
         "jdbc:sqlserver://h;user=u;password=(hidden);x=1"},
        {__LINE__, "url=jdbc:x://u:p@h/d?pwd=q", "url=jdbc:x://(hidden)@h/d?pwd=(hidden)"},
        {__LINE__, "jdbc:oracle:thin:scott/tiger@//h", "jdbc:oracle:thin:scott/(hidden)@//h"},
        {__LINE__, "mount -o user=u,password=p,ro", "mount -o user=u,password=(hidden),ro"},
        {__LINE__, "PASSWORD=a,b", "PASSWORD=(hidden)"},
        {__LINE__, "MYSQL_PWD=abc x", "MYSQL_PWD=(hidden) x"},
        {__LINE__, "x --data '{\"user\":\"u\",\"password\":\"a b\"}'",
         "x --data '{\"user\":\"u\",\"password\":\"(hidden)\"}'"},
        {__LINE__, "{\"token\": 12345678, \"n\": 1}", "{\"token\": (hidden), \"n\": 1}"},
        {__LINE__, "{\"a\":{\"secret\":\"x\\\"y\"}}", "{\"a\":{\"secret\":\"(hidden)\"}}"},
        {__LINE__, "\"{\\\"password\\\":\\\"x\\\"}\"", "\"{\\\"password\\\":\\\"(hidden)\\\"}\""},
        {__LINE__, "{'api_key': 'x'}", "{'api_key': '(hidden)'}"},
        {__LINE__, "{\"max_tokens\": 128}", "{\"max_tokens\": 128}"},
        {__LINE__, "{\"keys\": {\"a\": 1}}", "{\"keys\": {\"a\": 1}}"},
        {__LINE__, "{\"password\":\"", "{\"password\":\""},
        {__LINE__, "GH=ghp_0123456789abcdefghij x", "GH=(hidden) x"},
        {__LINE__, "x sk-0123456789abcdefghij", "x (hidden)"},
        {__LINE__, "sk-learn eyJ", "sk-learn eyJ"},
        {__LINE__, "openssl rsa -passin pass:x -in k", "openssl rsa -passin (hidden) -in k"},
        {__LINE__, "docker run --env=DB_PASSWORD=abc x", "docker run --env=DB_PASSWORD=(hidden) x"},
        {__LINE__, "docker run --env=DB_PASSWORD x", "docker run --env=DB_PASSWORD x"},
        {__LINE__, "x --from-literal=password=abc", "x --from-literal=password=(hidden)"},
        {__LINE__, "x --set=db.password=a,b y", "x --set=db.password=(hidden) y"},
        {__LINE__, "x --set=u=1,db.password=a,n=2 y", "x --set=u=1,db.password=(hidden),n=2 y"},
        {__LINE__, "x --opt=a=b=token=c== y", "x --opt=a=b=token=(hidden) y"},
        {__LINE__, "x --opt=limits=max_tokens=128 y", "x --opt=limits=max_tokens=128 y"},
        {__LINE__, "x --env=GH=ghp_0123456789abcdefghij y", "x --env=GH=(hidden) y"},
        {__LINE__, "x --env=PASSWORD='a b' y", "x --env=PASSWORD='(hidden)' y"},
        {__LINE__, "x -o u=1,password='a b' y", "x -o u=1,password='(hidden)' y"},
        {__LINE__, "x --env=PASSWORD= y", "x --env=PASSWORD= y"},
        {__LINE__, "password = abc x", "password = (hidden) x"},
        {__LINE__, "x --password = abc y", "x --password = (hidden) y"},
        {__LINE__, "password =abc x", "password (hidden) x"},
        {__LINE__, "password = 'a b' x", "password = '(hidden)' x"},
        {__LINE__, "max_tokens = 128 x", "max_tokens = 128 x"},
        {__LINE__, "my password is", "my password is"},
        {__LINE__, "zip -q x f; make -P4", "zip -q x f; make -P4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[128], small[8];
        tap_line = rows[i].line;
        wtl_secrets_line(rows[i].text, out, sizeof out);
        is_str(out, rows[i].shown, "'%s'", rows[i].text);
        wtl_secrets_line(rows[i].text, small, sizeof small);
        ok(strlen(small) < sizeof small && strncmp(small, rows[i].shown, strlen(small)) == 0,
           "cut, not overrun");
    }
    tap_line = 0;
}

static void test_arguments(void)
{
    static const struct row {
        int line;
        const char *arguments[6];
        const char *shown;
    } rows[] = {
        {__LINE__, {"app", "--token", "abc", "-x"}, "app --token (hidden) -x"},
        {__LINE__, {"app", "--token=abc"}, "app --token=(hidden)"},
        {__LINE__, {"app", "--api-key", "abc def", "in"}, "app --api-key (hidden) in"},
        {__LINE__, {"gpg", "--passphrase", "abc", "f"}, "gpg --passphrase (hidden) f"},
        {__LINE__, {"curl", "-u", "user:pass", "h"}, "curl -u user:(hidden) h"},
        {__LINE__, {"curl", "--user=user:pass"}, "curl --user=user:(hidden)"},
        {__LINE__, {"sort", "-u", "file"}, "sort -u file"},
        {__LINE__, {"curl", "-H", "Authorization: Bearer abc"}, "curl -H Authorization: (hidden)"},
        {__LINE__, {"curl", "-H", "X-Api-Key: abc def"}, "curl -H X-Api-Key: (hidden)"},
        {__LINE__, {"app", "Bearer", "abc", "x"}, "app Bearer (hidden) x"},
        {__LINE__, {"docker", "--env=DB_PASSWORD=abc", "x"}, "docker --env=DB_PASSWORD=(hidden) x"},
        {__LINE__, {"x", "password = abc"}, "x password = (hidden)"},
        {__LINE__, {"x", "--password", "=", "abc"}, "x --password = (hidden)"},
        {__LINE__, {"expr", "password", "=", "abc"}, "expr password = abc"},
        {__LINE__, {"env", "PASSWORD=abc", "./app"}, "env PASSWORD=(hidden) ./app"},
        {__LINE__, {"env", "PASSWORD=", "./app"}, "env PASSWORD= ./app"},
        {__LINE__, {"sh", "-c", "app --token abc; x"}, "sh -c app --token (hidden) x"},
        {__LINE__, {"llm", "--max-tokens", "128"}, "llm --max-tokens 128"},
        {__LINE__, {"llm", "--max-tokens=128"}, "llm --max-tokens=128"},
        {__LINE__, {"app", "--no-auth", "--fast"}, "app --no-auth --fast"},
        {__LINE__, {"app", "", "x"}, "app  x"},
        {__LINE__, {"mysql", "-uroot", "-pa b'c", "db"}, "mysql -uroot -p(hidden) db"},
        {__LINE__, {"/usr/bin/mysqldump", "-pabc", "db"}, "/usr/bin/mysqldump -p(hidden) db"},
        {__LINE__, {"mysql", "-p", "db"}, "mysql -p db"},
        {__LINE__, {"sudo", "mysql", "-P3306", "-pabc"}, "sudo mysql -P3306 -p(hidden)"},
        {__LINE__, {"sh", "-c", "mysql -pabc <x | y -p80"}, "sh -c mysql -p(hidden) <x | y -p80"},
        {__LINE__, {"sshpass", "-p", "abc", "ssh", "h"}, "sshpass -p (hidden) ssh h"},
        {__LINE__, {"docker", "login", "-p", "abc", "h"}, "docker login -p (hidden) h"},
        {__LINE__, {"x", "-d", "{\"password\": \"a b\"}"}, "x -d {\"password\": \"(hidden)\"}"},
        {__LINE__, {"redis-cli", "-a", "abc", "ping"}, "redis-cli -a (hidden) ping"},
        {__LINE__, {"ipmitool", "-Padmin", "sdr"}, "ipmitool -P(hidden) sdr"},
        {__LINE__, {"7z", "x", "-pabc", "a.7z"}, "7z x -p(hidden) a.7z"},
        {__LINE__, {"curl", "-ume:abc", "h"}, "curl -ume:(hidden) h"},
        {__LINE__, {"nc", "-p8080", "h"}, "nc -p8080 h"},
        {__LINE__, {"tar", "-uvf", "a:b"}, "tar -uvf a:b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256], out[256];
        size_t n = 0;
        tap_line = rows[i].line;
        for (const char *const *p = rows[i].arguments; *p; p++) {
            memcpy(text + n, *p, strlen(*p) + 1);
            n += strlen(*p) + 1;
        }
        is_int(wtl_secrets_arguments(text, n, out, sizeof out), strlen(rows[i].shown), "length");
        is_str(out, rows[i].shown, "as a line");
        size_t cut = wtl_secrets_arguments(text, n, out, 9);
        ok(cut == strlen(out) && cut < 9, "cut, not overrun");
        ok(wtl_secrets_room(rows[i].arguments[1]) > strlen(rows[i].arguments[1]), "room");
    }
    tap_line = 0;
}

int main(void)
{
    test_lines();
    test_arguments();
    return done_testing();
}
