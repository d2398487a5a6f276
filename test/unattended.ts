/** Health of kinds whose operators do not run in tests: that they exist has to do. */
const kinds = ['Alertmanager', 'Prometheus']

export const unattended = {
  expressions: kinds.map((kind) => ({ apiVersion: 'monitoring.coreos.com/v1', kind, current: 'true' })),
}
