import { describe, expect, it } from 'vitest';
import { referToComponents, withEnumTypes, type Document } from '../../gateway/openapi/components.ts';

const json = (schema: Record<string, unknown>) => ({ content: { 'application/json': { schema } } });
const image = { title: 'Image', type: 'object', properties: { url: { type: 'string' } } };
const product = {
  title: 'Product',
  description: 'The product was added.',
  type: 'object',
  properties: { images: { type: 'array', items: image } },
};

const documentOf = (...responses: object[]): Document => ({
  components: { schemas: {} },
  paths: {
    '/products': {
      post: {
        operationId: 'createProduct',
        requestBody: json({ type: 'object', properties: { image }, description: 'A product to be added.' }),
        responses: Object.fromEntries(responses.map((response, index) => [200 + index, response])),
      },
    },
  },
});

describe('referToComponents', () => {
  it('creates one component for each titled object at any depth', () => {
    const { paths, components } = referToComponents(documentOf(json(product), json({ type: 'array', items: image })));
    const { requestBody, responses } = paths['/products']!['post']!;
    const { title: _title, ...imageComponent } = image;
    const referToImage = { $ref: '#/components/schemas/Image' };
    expect(requestBody).toEqual(json({ $ref: '#/components/schemas/CreateProductRequest' }));
    expect(responses['200']).toEqual(json({ $ref: '#/components/schemas/Product' }));
    expect(responses['201']).toEqual(json({ type: 'array', items: referToImage }));
    expect(components.schemas).toEqual({
      Image: imageComponent,
      Product: { type: 'object', properties: { images: { type: 'array', items: referToImage } } },
      CreateProductRequest: {
        type: 'object',
        properties: { image: referToImage },
        description: 'A product to be added.',
      },
    });
  });

  it('does not copy the description of an object to its response', () => {
    const updated = { ...product, description: 'The product as it is now.' };
    expect(() => referToComponents(documentOf(json(product), json(updated)))).not.toThrow();
  });

  it('rejects two schemas with one name', () => {
    const other = { ...image, properties: { url: { type: 'integer' } } };
    expect(() => referToComponents(documentOf(json(product), json(other)))).toThrow(/name Image/);
  });

  it('rejects an object without a title, but keeps a map of any names', () => {
    const untitled = { type: 'object', properties: { a: { type: 'string' } } };
    expect(() => referToComponents(documentOf(json(untitled)))).toThrow(/no title: a/);
    const map = { type: 'object', additionalProperties: true };
    expect(referToComponents(documentOf(json(map))).paths['/products']!['post']!.responses['200']).toEqual(json(map));
  });

  it('refers from component to component', () => {
    const document = { ...documentOf(), components: { schemas: { Problem: { ...product, title: undefined } } } };
    const { Problem } = referToComponents(document as unknown as Document).components.schemas;
    expect(Problem?.properties?.['images']?.items).toEqual({ $ref: '#/components/schemas/Image' });
  });
});

describe('withEnumTypes', () => {
  it('adds a type to enums of texts at any depth, and to no others', () => {
    const kept = { enum: ['A', null], type: ['string', 'null'] };
    expect(withEnumTypes([{ schema: { enum: ['A', 'B'] } }, { properties: { a: kept, enum: kept } }])).toEqual([
      { schema: { type: 'string', enum: ['A', 'B'] } },
      { properties: { a: kept, enum: kept } },
    ]);
  });
});
