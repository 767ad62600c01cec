import type { Metric, Sample } from '../metric.ts';
import type { CertificatesInUse, ObserveCertificates } from '../rpc/grpc/certificates.ts';

/** The part of the process that uses certificates. */
type CertificateUser = 'rpc' | 'gateway';

/** Shows the validity of the certificates in use. */
export function createCertificateMetrics() {
  const inUse = new Map<CertificateUser, CertificatesInUse>();

  const times = (time: 'notBefore' | 'notAfter') => (): Sample[] =>
    [...inUse].flatMap(([user, { certificates }]) =>
      certificates.map((certificate) => ({
        labels: { user, certificate: certificate.kind },
        value: certificate[time] / 1000,
      })),
    );
  const metric = (
    name: string,
    help: string,
    aggregator: 'min' | 'max',
    read: Metric['read'],
    ...labelNames: string[]
  ): Metric => ({
    name,
    help,
    type: 'gauge',
    aggregator,
    labelNames: ['user', ...labelNames],
    read,
  });
  return {
    observer:
      (user: CertificateUser): ObserveCertificates =>
      (state) =>
        void inUse.set(user, state),
    metrics: [
      metric(
        'tls_certificate_not_after_timestamp_seconds',
        'End of the validity of a certificate in use, in Unix seconds. For authorities, the earliest end.',
        'min',
        times('notAfter'),
        'certificate',
      ),
      metric(
        'tls_certificate_not_before_timestamp_seconds',
        'Beginning of the validity of a certificate in use, in Unix seconds.',
        'min',
        times('notBefore'),
        'certificate',
      ),
      metric(
        'tls_certificate_files_invalid',
        '1 if the certificate files were changed and cannot be used, so that the old certificates stay in use.',
        'max',
        () => [...inUse].map(([user, { areFilesInvalid }]) => ({ labels: { user }, value: Number(areFilesInvalid) })),
      ),
    ],
  };
}
