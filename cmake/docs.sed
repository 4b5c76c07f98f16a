# SPDX-License-Identifier: BSD-3-Clause
# sed -z -E: the links of a page as they are in share/doc/wattle. Of a link to what is not there only its text stays, with the
# file of the source that it names, if that is not a manual page.
s,\]\(docs/(guide|format)/,](\1/,g
s,\[([^]]*)\]\((docs|\.\.)/man[^)]*\),\1,g
s,\[([^]]*)\]\(schema\),\1 (share/wattle/schemas),g
s,\[([^]]*)\]\(\.\./\.\./\1\),\1,g
s,\[docs/([^]]*)\]\(\.\./\1\),docs/\1,g
s,\[([^]]*)\]\(\.\./\.\./([^)]*)\),\1 (\2 in the source),g
s,\[([^]]*)\]\(\.\./((dev|decisions|papers|coverage|hardware)[^)]*)\),\1 (docs/\2 in the source),g
s,\[([^]]*)\]\(((docs|bench|bindings|examples|python|scripts|tests|web|CONTRIBUTING|CITATION)[^)]*)\),\1 (\2 in the source),g
