import { keyCases } from '../fleet/keys.cases.ts'

keyCases({ modules: 10, clusters: 20 })
