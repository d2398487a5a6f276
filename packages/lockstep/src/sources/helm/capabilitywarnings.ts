/** What templates ask for that is not in the chart or its values: found in their text, since Helm does not say. Pure. */
import type { TreeFile } from '../intake/sourcetree.ts'

/** Warnings about one chart are listed up to this number. */
const MAX_LISTED = 20

/** One `{{ … }}` and the line that it begins on, counted from 1. Comments are left out. */
interface TemplateAction {
  readonly line: number
  readonly text: string
}

function* actionsIn(text: string): Iterable<TemplateAction> {
  let line = 1
  let from = 0
  for (const m of text.matchAll(/\{\{(?!-?\s*\/\*)[\s\S]*?\}\}/g)) {
    line += newlinesIn(text.slice(from, m.index))
    from = m.index
    yield { line, text: m[0] }
  }
}

const newlinesIn = (text: string): number => text.split('\n').length - 1

/** Also those of charts in charts/. */
const isTemplate = ({ path }: TreeFile): boolean => /(^|\/)templates\//.test(path)

const textOf = ({ bytes }: TreeFile): string => new TextDecoder().decode(bytes)

/** One line for each place that asks what a cluster can do. */
export function capabilityWarnings(files: readonly TreeFile[], kubeVersion: string): string[] {
  const places = files
    .filter(isTemplate)
    .flatMap((file) =>
      [...actionsIn(textOf(file))]
        .filter((a) => a.text.includes('.Capabilities'))
        .map((a) => `${file.path}:${a.line}`),
    )
  const told = places
    .slice(0, MAX_LISTED)
    .map(
      (place) =>
        `W_CAPABILITIES ${place}: reads .Capabilities, which has kubeVersion ${kubeVersion} and apiVersions of spec.render.helm on all clusters`,
    )
  const more = places.length - told.length
  return more > 0 ? [...told, `W_CAPABILITIES and ${more} more`] : told
}

/** Functions of Helm and Sprig whose results differ from run to run: chance, time, salts, and maps without an order. */
const UNSTEADY =
  /(?<![\w.$"])(rand[A-Z]\w*|gen[A-Z]\w*|uuidv4|now|ago|date(InZone|Modify|_in_zone|_modify)?|mustDateModify|htmlDate(InZone)?|htpasswd|bcrypt|derivePassword|encryptAES|shuffle|keys|values)\b/

/**
 * Whether two runs may come to different ends. Values count, too, since `tpl` makes templates of them, and so do all files
 * where there is one.
 */
export function mayDiffer(files: readonly TreeFile[], values: readonly string[]): boolean {
  const templates = files.filter(isTemplate).map(textOf)
  const usesTpl = templates.some((t) => mentions(t, /\btpl\b/))
  const texts = usesTpl ? [...files.map(textOf), ...values] : templates
  return texts.some((t) => mentions(t, UNSTEADY))
}

function mentions(text: string, what: RegExp): boolean {
  for (const action of actionsIn(text)) if (what.test(action.text)) return true
  return false
}
