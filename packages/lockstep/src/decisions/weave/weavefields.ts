/** Fields of an object of somebody else while it is read: what is wrong with one is said with its path, and none is left out. */
import { at, isObject, isString, type JsonObject, type JsonValue, type YamlPath } from '@lockstep/kube/object'

export interface WeaveFieldProblem {
  readonly path: YamlPath
  readonly problem: string
}

export class WeaveFields {
  readonly object: JsonObject
  readonly problems: WeaveFieldProblem[] = []

  constructor(object: JsonObject) {
    this.object = object
  }

  value(path: YamlPath): JsonValue | undefined {
    return at(this.object, ...path) ?? undefined
  }

  wrong(path: YamlPath, problem: string): undefined {
    this.problems.push({ path, problem })
    return undefined
  }

  /** All members there are; others are wrong. Undefined: it is absent, or no object. */
  members(path: YamlPath, known: readonly string[]): JsonObject | undefined {
    const value = this.value(path)
    if (value === undefined) return undefined
    if (!isObject(value)) return this.wrong(path, 'must be an object')
    for (const key of Object.keys(value))
      if (!known.includes(key))
        this.wrong([...path, key], `unknown field; there is ${known.join(', ')}: correct it, or take it out`)
    return value
  }

  list(path: YamlPath): readonly JsonValue[] {
    const value = this.value(path)
    if (value === undefined || Array.isArray(value)) return value ?? []
    this.wrong(path, 'must be a list')
    return []
  }

  text(path: YamlPath, isRequired: boolean): string | undefined {
    const value = this.value(path)
    if (isString(value) && value !== '') return value
    if (value === undefined || value === '') return isRequired ? this.wrong(path, 'is missing') : undefined
    return this.wrong(path, 'must be a text')
  }

  flag(path: YamlPath): boolean {
    const value = this.value(path)
    if (value !== undefined && typeof value !== 'boolean') this.wrong(path, 'must be true or false')
    return value === true
  }
}
