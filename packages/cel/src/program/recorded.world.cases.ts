import type { CelSchema } from './celschema.ts'

/** The schema and the object that the recorded expressions are about. */
export const schema: CelSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      maxLength: 20,
    },
    s: {
      type: 'string',
    },
    e: {
      type: 'string',
      enum: ['abc', 'de'],
    },
    n: {
      type: 'integer',
    },
    big: {
      type: 'integer',
    },
    x: {
      type: 'number',
    },
    b: {
      type: 'boolean',
    },
    list: {
      type: 'array',
      maxItems: 5,
      items: {
        type: 'integer',
      },
    },
    names: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'string',
        maxLength: 30,
      },
    },
    many: {
      type: 'array',
      items: {
        type: 'string',
      },
    },
    m: {
      type: 'object',
      maxProperties: 4,
      additionalProperties: {
        type: 'string',
        maxLength: 10,
      },
    },
    mi: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
      },
    },
    objs: {
      type: 'array',
      maxItems: 6,
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: {
            type: 'string',
            maxLength: 8,
          },
          port: {
            type: 'integer',
          },
        },
      },
    },
    ts: {
      type: 'string',
      format: 'date-time',
    },
    day: {
      type: 'string',
      format: 'date',
    },
    dur: {
      type: 'string',
      format: 'duration',
    },
    raw: {
      type: 'string',
      format: 'byte',
    },
    ios: {
      'x-kubernetes-int-or-string': true,
    },
    ios2: {
      'x-kubernetes-int-or-string': true,
    },
    nested: {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          properties: {
            b: {
              type: 'integer',
            },
          },
        },
        gone: {
          type: 'object',
          properties: {
            c: {
              type: 'string',
            },
          },
        },
      },
    },
    nul: {
      type: 'string',
      nullable: true,
    },
    'foo-bar': {
      type: 'integer',
    },
    namespace: {
      type: 'string',
    },
    'x.y/z_w': {
      type: 'integer',
    },
    a__b: {
      type: 'integer',
    },
    set: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      maxItems: 4,
      items: {
        type: 'string',
        maxLength: 4,
      },
    },
    set2: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      maxItems: 4,
      items: {
        type: 'string',
        maxLength: 4,
      },
    },
    omap: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      maxItems: 4,
      items: {
        type: 'object',
        required: ['k'],
        properties: {
          k: {
            type: 'string',
          },
          v: {
            type: 'integer',
          },
        },
      },
    },
    omap2: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      maxItems: 4,
      items: {
        type: 'object',
        required: ['k'],
        properties: {
          k: {
            type: 'string',
          },
          v: {
            type: 'integer',
          },
        },
      },
    },
    any: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        p: {
          type: 'integer',
        },
      },
    },
    missing: {
      type: 'string',
    },
    url: {
      type: 'string',
      maxLength: 200,
    },
    ip: {
      type: 'string',
      maxLength: 40,
    },
    q: {
      type: 'string',
      maxLength: 30,
    },
    ver: {
      type: 'string',
      maxLength: 30,
    },
    matrix: {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'array',
        maxItems: 3,
        items: {
          type: 'integer',
        },
      },
    },
  },
}

export const self = {
  name: 'alpha',
  s: 'héllo wörld',
  e: 'abc',
  n: 42,
  big: 9007199254740993n,
  x: 1.5,
  b: true,
  list: [3, 1, 2],
  names: ['a', 'bb', 'ccc'],
  many: ['x', 'y'],
  m: {
    k1: 'v1',
    k2: 'v2',
  },
  mi: {
    one: 1,
    two: 2,
  },
  objs: [
    {
      name: 'http',
      port: 80,
    },
    {
      name: 'https',
      port: 443,
    },
    {
      name: 'none',
    },
  ],
  ts: '2024-03-01T12:30:45.123Z',
  day: '2024-02-29',
  dur: '1h30m',
  raw: 'aGVsbG8=',
  ios: 5,
  ios2: '50%',
  nested: {
    a: {
      b: 7,
    },
  },
  nul: null,
  'foo-bar': 1,
  namespace: 'ns',
  'x.y/z_w': 3,
  a__b: 4,
  set: ['a', 'b'],
  set2: ['b', 'a'],
  omap: [
    {
      k: 'a',
      v: 1,
    },
    {
      k: 'b',
      v: 2,
    },
  ],
  omap2: [
    {
      k: 'b',
      v: 2,
    },
    {
      k: 'a',
      v: 1,
    },
  ],
  any: {
    p: 1,
    q: 2,
  },
  url: 'https://user@example.com:8080/p/a?q=1&q=2#f',
  ip: '10.1.2.3',
  q: '1500m',
  ver: '1.2.3-rc.1',
  matrix: [[1, 2], [3]],
}
