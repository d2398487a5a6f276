/** Whether a file that somebody keeps is still what would be printed. */
import { at, isArray, type JsonValue, jsonEqual, parseYamlStream, YamlError } from '@lockstep/kube/object'

/**
 * Values are compared, not bytes. Patches may stand in the file as they were printed, or in a HelmRelease, beside other
 * post-renderers.
 */
export function isCurrentOutput(file: string, output: string): boolean {
  const [there, wanted] = [valuesOf(file), valuesOf(output)]
  if (!there || !wanted) return file === output
  if (jsonEqual(there, wanted)) return true
  const renderers = at(wanted[0], 'postRenderers')
  if (wanted.length !== 1 || !isArray(renderers)) return false
  return there.some((document) => {
    const found = at(document, 'spec', 'postRenderers')
    return isArray(found) && found.some((one) => jsonEqual(one, renderers[0]))
  })
}

function valuesOf(text: string): JsonValue[] | undefined {
  try {
    return parseYamlStream(text)
  } catch (e) {
    if (e instanceof YamlError) return undefined
    throw e
  }
}
