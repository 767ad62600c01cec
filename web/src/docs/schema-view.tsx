import { resolve, typeOf, type OpenApi, type Schema } from './document.ts';
import { Prose } from './prose.tsx';
import { docsTexts } from './texts.ts';

interface SchemaProps {
  readonly document: OpenApi;
  readonly schema: Schema;
  /** The references that lead here. A schema that contains itself is shown once. */
  readonly within?: readonly string[];
}

/** The members of an object, and of the objects in it. */
export function SchemaView({ document, schema, within = [] }: SchemaProps) {
  const { members, description } = contentOf(document, schema);
  if (members.length === 0) {
    return (
      <>
        <p class="quiet-text">
          <TypeOf document={document} schema={schema} />
        </p>
        <Prose>{description}</Prose>
      </>
    );
  }
  return (
    <>
      <p class="quiet-text">
        <code>{typeOf(schema)}</code>
      </p>
      <ul class="members">
        {members.map(({ name, member, isRequired }) => (
          <Member key={name} document={document} within={within} {...{ name, member, isRequired }} />
        ))}
      </ul>
    </>
  );
}

interface MemberProps extends Pick<SchemaProps, 'document'> {
  readonly within: readonly string[];
  readonly name: string;
  readonly member: Schema;
  readonly isRequired: boolean;
}

function Member({ document, within, name, member, isRequired }: MemberProps) {
  const texts = docsTexts();
  const type = typeOf(member);
  const { members } = within.includes(type) ? { members: [] } : contentOf(document, member);
  const { description } = member.description === undefined ? resolve(document, member) : member;
  return (
    <li>
      <p>
        <code>{name}</code>{' '}
        <span class="quiet-text">
          {isRequired && `${texts.required}, `}
          <TypeOf document={document} schema={member} />
        </span>
      </p>
      <Prose>{description}</Prose>
      {members.length > 0 && (
        <details>
          <summary>{texts.members(type)}</summary>
          <SchemaView document={document} schema={member} within={[...within, type]} />
        </details>
      )}
    </li>
  );
}

/** The type of a schema, and the values that it allows. */
export function TypeOf({ document, schema }: Pick<SchemaProps, 'document' | 'schema'>) {
  const resolved = resolve(document, schema);
  const values = resolved.enum ?? (resolved.const === undefined ? [] : [resolved.const]);
  if (values.length === 0) return <>{typeOf(schema)}</>;
  return <>{`${typeOf(schema)}: ${values.map(String).join(', ')}`}</>;
}

interface Content {
  readonly members: readonly Omit<MemberProps, 'document' | 'within'>[];
  readonly description: string | undefined;
}

/** The members of an object, of the items of an array, or of all parts of a schema. */
function contentOf(document: OpenApi, reference: Schema): Content {
  const schema = resolve(document, reference);
  const { description } = schema;
  if (schema.items) return { ...contentOf(document, schema.items), description };
  const parts = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    member,
    isRequired: schema.required?.includes(name) ?? false,
  }));
  return { members: [...own, ...parts.flatMap((part) => contentOf(document, part).members)], description };
}
