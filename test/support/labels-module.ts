// A module with the parts of protos that the module of docs/extending.md lacks: maps, streams and numbers without bounds.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from './service-process.ts';

const RULE = 'option (authservice.access.v1.rule) = {credential: CREDENTIAL_REQUIRED};';

/** The messages of the proto. Tests of problems change them. */
export const LABELS_PROTO = `syntax = "proto3";
package labels.v1;
import "authservice/access/v1/access.proto";
import "authservice/rest/v1/rest.proto";
import "authservice/rule/v1/rule.proto";
import "google/api/annotations.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/timestamp.proto";

// Labels of things.
service LabelService {
  // Echo labels.
  rpc EchoLabels(EchoLabelsRequest) returns (EchoLabelsResponse) {
    ${RULE}
    option (google.api.http) = {post: "/api/v1/labels" body: "*"};
    option (authservice.rest.v1.operation) = {tag: "Labels"};
  }
  // Count to a number.
  rpc CountTo(CountToRequest) returns (stream CountToResponse) {
    ${RULE}
  }
  // Add numbers.
  rpc AddNumbers(stream AddNumbersRequest) returns (AddNumbersResponse) {
    ${RULE}
  }
}
// A shade.
enum Shade {
  // None.
  SHADE_UNSPECIFIED = 0;
  // Light.
  SHADE_LIGHT = 1;
  // Dark.
  SHADE_DARK = 2;
}
// A size.
message Size {
  // The width.
  int32 width = 1 [(authservice.rule.v1.field) = {min: 1 max: 100 required: true}];
}
// The labels.
message EchoLabelsRequest {
  // Texts by language.
  map<string, string> texts = 1 [(authservice.rule.v1.field) = {max: 5 items: 2 required: true}];
  // Numbers by name.
  map<string, int64> numbers = 2 [(authservice.rule.v1.field) = {max: 5 items: 2}];
  // Shades by name.
  map<string, Shade> shades = 3 [(authservice.rule.v1.field) = {max: 5 items: 2}];
  // Sizes by name.
  map<string, Size> sizes = 4 [(authservice.rule.v1.field) = {max: 9 items: 2}];
  // A number without bounds.
  int32 plain = 5;
}
// The same labels.
message EchoLabelsResponse {
  // Texts by language.
  map<string, string> texts = 1;
  // Numbers by name.
  map<string, int64> numbers = 2;
  // Shades by name.
  map<string, Shade> shades = 3;
  // Sizes by name.
  map<string, Size> sizes = 4;
  // A number without bounds.
  int32 plain = 5;
}
// The last number.
message CountToRequest {
  // The number.
  int32 last = 1 [(authservice.rule.v1.field) = {min: 1 max: 10}];
}
// One number.
message CountToResponse {
  // The number.
  int32 number = 1;
}
// One number.
message AddNumbersRequest {
  // The number.
  int32 number = 1 [(authservice.rule.v1.field) = {min: 1 max: 10}];
}
// The sum.
message AddNumbersResponse {
  // The sum.
  int32 sum = 1;
}
`;

const CODE = `import * as service from 'authservice/module';

const labels: service.Module = {
  name: 'labels',
  protos: new URL('protos/', import.meta.url),
  create: (_foundation, implement) => ({
    services: [
      implement('labels.v1.LabelService', {
        echoLabels: async (request: object) => request,
        async *countTo({ last }: { last: number }) {
          for (let number = 1; number <= last; number += 1) yield { number };
        },
        async addNumbers(numbers: AsyncIterable<{ number: number }>) {
          let sum = 0;
          for await (const { number } of numbers) sum += number;
          return { sum };
        },
      }),
    ],
  }),
};

export default labels;
`;

/** Writes the module to an empty folder. Returns the path of its file. */
export function writeLabelsModule(proto: string = LABELS_PROTO): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'protos'));
  writeFileSync(join(folder, 'protos/label_service.proto'), proto);
  writeFileSync(join(folder, 'labels.ts'), CODE);
  return join(folder, 'labels.ts');
}
