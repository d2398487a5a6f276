import type { YamlPath } from './yamltree.ts'

/** `spec.dependsOn[0].readyExpr`; a step with a dot is quoted. */
export const valuePathText = (path: YamlPath): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    if (/[.[\]]/.test(step)) return `${text}["${step}"]`
    return text === '' ? step : `${text}.${step}`
  }, '')
