import {
  fieldElement,
  goSyntax,
  goType,
  goValue,
  type PathElement,
  printElement,
  printPath,
} from '@lockstep/kube/fields'
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { Atom, ListType, MapType, TypeRef } from './atom.ts'
import { formsOf, LIST, leadingForm, MAP, memberType, SCALAR } from './atom.ts'
import { ItemProblem, itemElement } from './itemelement.ts'
import type { TypedIssue } from './typederror.ts'
import { TypedError } from './typederror.ts'

/**
 * Whether a value fits its type. Applied configurations may not have two items with the same key; live objects may.
 * Texts as structured-merge-diff (`typed/validate.go`).
 * @throws TypedError
 */
export function checkTypedValue(value: JsonValue, type: TypeRef, allowDuplicates: boolean): void {
  const run = new TypeCheck(allowDuplicates)
  run.check(value, type)
  if (run.issues.length > 0) throw new TypedError(run.issues)
}

class TypeCheck {
  readonly issues: TypedIssue[] = []
  private readonly path: PathElement[] = []
  private readonly allowDuplicates: boolean
  constructor(allowDuplicates: boolean) {
    this.allowDuplicates = allowDuplicates
  }

  check(value: JsonValue, type: TypeRef): void {
    const atom = type.atom
    switch (leadingForm(formsOf(atom, value))) {
      case MAP:
        this.map(value, atom.map as MapType)
        return
      case SCALAR:
        this.scalar(value, atom.scalar as NonNullable<Atom['scalar']>)
        return
      case LIST:
        this.list(value, atom.list as ListType)
        return
      default:
        this.say('schema error: invalid atom: inlined')
    }
  }

  private say(message: string): void {
    this.issues.push({ path: printPath(this.path), message })
  }

  private below(element: PathElement, value: JsonValue, type: TypeRef): void {
    this.path.push(element)
    this.check(value, type)
    this.path.pop()
  }

  private scalar(value: JsonValue, scalar: NonNullable<Atom['scalar']>): void {
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    if (value === null) return
    if (scalar === 'numeric' && !isNumber) this.say(`expected numeric (int or float), got ${goType(value)}`)
    else if (scalar === 'string' && typeof value !== 'string')
      this.say(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
    else if (scalar === 'boolean' && typeof value !== 'boolean')
      this.say(`expected boolean, got &{${goValue(value)}}`)
    else if (scalar === 'untyped' && typeof value === 'object')
      this.say(`expected any scalar, got &{${goValue(value)}}`)
  }

  private map(value: JsonValue, map: MapType): void {
    if (value === null) return
    if (isObject(value)) this.members(value, map)
    else this.say(`expected map, got &{${goValue(value)}}`)
  }

  private members(value: JsonObject, map: MapType): void {
    for (const key of Object.keys(value)) {
      const member = value[key]
      if (member === undefined) continue
      const type = memberType(map, key)
      if (type !== undefined) this.below(fieldElement(key), member, type)
      else {
        // The original stops at the first one, because a map has no order that would make a list of them stable.
        this.path.push(fieldElement(key))
        this.say('field not declared in schema')
        this.path.pop()
        return
      }
    }
  }

  private list(value: JsonValue, list: ListType): void {
    if (value === null) return
    if (!isArray(value)) this.say(`expected list, got &{${goValue(value)}}`)
    else if (!list.isAtomic) this.items(value, list)
    else for (const [i, item] of value.entries()) this.below(`i:${i}`, item, list.element)
  }

  private items(value: JsonArray, list: ListType): void {
    const seen = new Set<string>()
    for (const [i, item] of value.entries()) {
      const element = itemElement(list, item)
      if (element instanceof ItemProblem) {
        this.say(`element ${i}: ${element.text}`)
        return
      }
      if (seen.has(element) && !this.allowDuplicates)
        this.say(`duplicate entries for key ${printElement(element)}`)
      seen.add(element)
      this.below(element, item, list.element)
    }
  }
}
