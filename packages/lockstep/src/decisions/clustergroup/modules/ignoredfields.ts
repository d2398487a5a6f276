/** `ignoreDifferences` of an Application as `apply.ignore` of a Module. */

import { isString } from '@lockstep/kube/object'
import type { ModuleSpecGiven } from '../../../api/kinds/index.ts'
import type { ValuesField } from '../values/field.ts'

type IgnoredField = NonNullable<NonNullable<ModuleSpecGiven['apply']>['ignore']>[number]

const TARGET = ['group', 'kind', 'name', 'namespace'] as const

export const ignoredFields = (list: ValuesField): IgnoredField[] =>
  list.items().map((rule) => {
    if (rule.get('jqPathExpressions').isTruthy)
      rule
        .get('jqPathExpressions')
        .refuse(': a Module knows no jq', { todo: 'write jsonPointers, or managedFieldsManagers' })
    const target = Object.fromEntries(
      TARGET.flatMap((k) =>
        rule.get(k).isTruthy && rule.get(k).value !== '*' ? [[k, rule.get(k).text]] : [],
      ),
    )
    const texts = (name: string): string[] =>
      rule
        .get(name)
        .items()
        .map((f) => f.value)
        .filter(isString)
    const [paths, managers] = [texts('jsonPointers'), texts('managedFieldsManagers')]
    return {
      ...(Object.keys(target).length > 0 ? { target } : {}),
      ...(paths.length > 0 ? { paths } : {}),
      ...(managers.length > 0 ? { managers } : {}),
    }
  })
