import { fieldElement, printElement } from '../../../object/fields/fields.ts'
import { goSyntax, goType, goValue } from '../../../object/fields/gotext.ts'
import type { JsonArray, JsonObject, JsonValue } from '../../../object/object.ts'
import { isArray, isObject } from '../../../object/object.ts'
import type { Atom, ListType, MapType, TypeRef } from './atom.ts'
import { formsOf, LIST, leadingForm, MAP, memberType, SCALAR } from './atom.ts'
import type { TypedIssue } from './error.ts'
import { TypedError } from './error.ts'
import { ItemProblem, itemElement } from './item.ts'

/**
 * Whether a value fits its type. Applied configurations may not have two items with the same key; live objects may.
 * Texts as structured-merge-diff (`typed/validate.go`).
 * @throws TypedError
 */
export function checkTyped(value: JsonValue, type: TypeRef, allowDuplicates: boolean): void {
  const run = new TypeCheck(allowDuplicates)
  run.check(value, type, '')
  if (run.issues.length > 0) throw new TypedError(run.issues)
}

class TypeCheck {
  readonly issues: TypedIssue[] = []
  private readonly allowDuplicates: boolean
  constructor(allowDuplicates: boolean) {
    this.allowDuplicates = allowDuplicates
  }

  check(value: JsonValue, type: TypeRef, path: string): void {
    const atom = type.atom
    switch (leadingForm(formsOf(atom, value))) {
      case MAP:
        this.map(value, atom.map as MapType, path)
        return
      case SCALAR:
        this.scalar(value, atom.scalar as NonNullable<Atom['scalar']>, path)
        return
      case LIST:
        this.list(value, atom.list as ListType, path)
        return
      default:
        this.say(path, 'schema error: invalid atom: inlined')
    }
  }

  private say(path: string, message: string): void {
    this.issues.push({ path, message })
  }

  private scalar(value: JsonValue, scalar: NonNullable<Atom['scalar']>, path: string): void {
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    if (value === null) return
    if (scalar === 'numeric' && !isNumber)
      this.say(path, `expected numeric (int or float), got ${goType(value)}`)
    else if (scalar === 'string' && typeof value !== 'string')
      this.say(path, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
    else if (scalar === 'boolean' && typeof value !== 'boolean')
      this.say(path, `expected boolean, got &{${goValue(value)}}`)
    else if (scalar === 'untyped' && typeof value === 'object')
      this.say(path, `expected any scalar, got &{${goValue(value)}}`)
  }

  private map(value: JsonValue, map: MapType, path: string): void {
    if (value === null) return
    if (isObject(value)) this.members(value, map, path)
    else this.say(path, `expected map, got &{${goValue(value)}}`)
  }

  private members(value: JsonObject, map: MapType, path: string): void {
    for (const key of Object.keys(value)) {
      const member = value[key]
      if (member === undefined) continue
      const type = memberType(map, key)
      const where = `${path}.${key}`
      if (type !== undefined) this.check(member, type, where)
      else {
        // The original stops at the first one, because a map has no order that would make a list of them stable.
        this.say(path + printElement(fieldElement(key)), 'field not declared in schema')
        return
      }
    }
  }

  private list(value: JsonValue, list: ListType, path: string): void {
    if (value === null) return
    if (!isArray(value)) this.say(path, `expected list, got &{${goValue(value)}}`)
    else if (!list.isAtomic) this.items(value, list, path)
    else for (const [i, item] of value.entries()) this.check(item, list.element, `${path}[${i}]`)
  }

  private items(value: JsonArray, list: ListType, path: string): void {
    const seen = new Set<string>()
    for (const [i, item] of value.entries()) {
      const element = itemElement(list, item)
      if (element instanceof ItemProblem) {
        this.say(path, `element ${i}: ${element.text}`)
        return
      }
      const shown = printElement(element)
      if (seen.has(element) && !this.allowDuplicates) this.say(path, `duplicate entries for key ${shown}`)
      seen.add(element)
      this.check(item, list.element, path + shown)
    }
  }
}
