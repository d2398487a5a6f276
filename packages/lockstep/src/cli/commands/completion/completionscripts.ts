/** What a shell has to run, to ask us when somebody presses Tab. */
import { COMPLETE_COMMAND } from './completecommand.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Words are taken from the line itself: bash cuts them at `=`, `@` and `:` and replaces only what is behind the last
 * of these; an @ it replaces too. No feature is newer than bash 3.2, which macOS has.
 */
const BASH = `# bash completion for lockstep
_lockstep() {
  local line="\${COMP_LINE:0:COMP_POINT}" words cur word cut='' part='' c
  IFS=$' \\t\\n' read -r -a words <<< "$line"
  case "$line" in *[[:space:]]) words+=('') ;; esac
  cur="\${words[\${#words[@]}-1]}"
  for c in '=' '@' ':'; do
    case "$COMP_WORDBREAKS" in *"$c"*) ;; *) continue ;; esac
    case "$cur" in *"$c"*) part="\${cur%"$c"*}$c" ;; *) continue ;; esac
    if [ "$c" = '@' ]; then part="\${part%@}"; fi
    if [ "\${#part}" -gt "\${#cut}" ]; then cut="$part"; fi
  done
  COMPREPLY=()
  while IFS= read -r word; do
    if [ "$word" = ':files' ]; then
      type compopt >/dev/null 2>&1 && compopt -o filenames
      case "$cur" in --*=*) part="\${cur%%=*}=" ;; *) part='' ;; esac
      while IFS= read -r word; do
        word="$part$word"
        COMPREPLY+=("\${word#"$cut"}")
      done < <(compgen -f -- "\${cur#"$part"}")
      return
    fi
    word="\${word%%$'\\t'*}"
    COMPREPLY+=("\${word#"$cut"}")
  done < <("$1" ${COMPLETE_COMMAND} "\${words[@]:1}" 2>/dev/null)
  case "\${#COMPREPLY[@]} \${COMPREPLY[0]}" in
    '1 '*[/@=.]) type compopt >/dev/null 2>&1 && compopt -o nospace ;;
  esac
}
complete -F _lockstep lockstep
`

const ZSH = `#compdef lockstep
# zsh completion for lockstep
_lockstep() {
  local -a found done open done_text open_text
  local line word text
  found=("\${(@f)$("\${words[1]}" ${COMPLETE_COMMAND} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == ':files' ]]; then
    [[ "$PREFIX" == --*=* ]] && compset -P '*='
    _files
    return
  fi
  for line in "\${found[@]}"; do
    [[ -z "$line" ]] && continue
    word="\${line%%$'\\t'*}"
    text="$word"
    [[ "$line" == *$'\\t'* ]] && text="$word  -- \${line#*$'\\t'}"
    case "$word" in
      *[/@=.]) open+=("$word"); open_text+=("$text") ;;
      *) done+=("$word"); done_text+=("$text") ;;
    esac
  done
  (( $#done )) && compadd -l -d done_text -a done
  (( $#open )) && compadd -l -S '' -d open_text -a open
}
if [[ "\${funcstack[1]}" == _lockstep ]]; then _lockstep "$@"; else compdef _lockstep lockstep; fi
`

const FISH = `# fish completion for lockstep
function __lockstep_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l current (commandline -ct)
  set -l found ($program ${COMPLETE_COMMAND} $words "$current" 2>/dev/null)
  if test "$found[1]" = ':files'
    set -l before (string match -r '^--[^=]*=' -- "$current")
    for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current"))
      printf '%s\\n' "$before$path"
    end
  else if set -q found[1]
    printf '%s\\n' $found
  end
end
complete -c lockstep -f -a '(__lockstep_complete)'
`

export const completionScripts: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
