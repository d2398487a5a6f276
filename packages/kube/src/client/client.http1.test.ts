import { overHttp } from '../../../../test/kube/subjects.ts'
import { informerCases } from '../cache/informer.cases.ts'
import { readCases, runCases } from './client.cases.ts'
import { writeCases } from './write.cases.ts'

runCases('client, HTTP/1.1', [...readCases, ...writeCases, ...informerCases], overHttp)
