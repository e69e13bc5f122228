# A class that two files define under the same name in the same namespace: the linker would take either for
# both. Run over all headers and sources of the libraries at once; relies on clang-format's layout.

FNR == 1 { depth = 0 }
/^(inline )?namespace .*\{$/ {
  name = $0
  gsub(/^(inline )?namespace *| *\{$/, "", name)
  space[++depth] = name == "" ? "(anonymous)" : name
  opened = FNR
  next
}
# A namespace of one line has no comment at its end.
/^}  \/\/ namespace/ || (/^}$/ && FNR == opened + 2) { depth--; next }
depth > 0 && /^(class|struct|union|enum|enum class) .*[{:]/ && !/;$/ {
  name = $0
  gsub(/\[\[[a-z]*\]\] */, "", name)
  sub(/^(enum class|class|struct|union|enum) +/, "", name)
  sub(/( final)? *[{:] .*$|( final)? *\{.*$/, "", name)
  if (name ~ /[<: ]/) next
  full = ""
  for (i = 1; i <= depth; i++) full = full space[i] "::"
  if (full ~ /anonymous/) next
  full = full name
  if (full in where && where[full] != FILENAME) {
    print FILENAME ":" FNR ": " full " is defined in " where[full] ", too"
    bad = 1
  }
  where[full] = FILENAME
}
END { exit bad }
