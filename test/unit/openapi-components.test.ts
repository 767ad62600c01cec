import { describe, expect, it } from 'vitest';
import { referToComponents } from '../../gateway/openapi/components.ts';
import { withEnumTypes } from '../../gateway/openapi/enum-types.ts';
import type { Document } from '../../gateway/openapi/components.ts';

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
  it('makes one component of each titled object, wherever it stands', () => {
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

  it('keeps the description of an object out of the response that shows it', () => {
    const updated = { ...product, description: 'The product as it is now.' };
    expect(() => referToComponents(documentOf(json(product), json(updated)))).not.toThrow();
  });

  it('refuses two schemas of one name', () => {
    const other = { ...image, properties: { url: { type: 'integer' } } };
    expect(() => referToComponents(documentOf(json(product), json(other)))).toThrow(/name Image/);
  });

  it('refuses an object without a title, and leaves a map from any name alone', () => {
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
  it('gives enums of texts a type, wherever they stand, and leaves others', () => {
    const kept = { enum: ['A', null], type: ['string', 'null'] };
    expect(withEnumTypes([{ schema: { enum: ['A', 'B'] } }, { properties: { a: kept, enum: kept } }])).toEqual([
      { schema: { type: 'string', enum: ['A', 'B'] } },
      { properties: { a: kept, enum: kept } },
    ]);
  });
});
