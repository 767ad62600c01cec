import { ApiError, readPage, type Session } from '../src/index.ts';
import { listProducts, type Product } from '../src/operations.ts';
import { create, element, onClick } from './elements.ts';

const PER_PAGE = 5;

export interface ProductsCard {
  load(): Promise<void>;
}

/** The list of products, page by page; `chosen` is called with the shown products. */
export function createProductsCard(session: Session, shown: (products: readonly Product[]) => void): ProductsCard {
  const message = element('products-message');
  let number = 1;

  async function load(): Promise<void> {
    try {
      const query = { page: number, perPage: PER_PAGE, sort: 'name' };
      const { items, totalCount } = readPage(await listProducts(session, { query }));
      const pageCount = Math.max(1, Math.ceil(totalCount / PER_PAGE));
      element('products').replaceChildren(...items.map(row));
      element('page-number').textContent = `${number} of ${pageCount}`;
      element<HTMLButtonElement>('previous').disabled = number <= 1;
      element<HTMLButtonElement>('next').disabled = number >= pageCount;
      message.textContent = `${totalCount} products`;
      shown(items);
    } catch (error) {
      element('products').replaceChildren();
      message.textContent = error instanceof ApiError ? `No products: ${error.message} (${error.code})` : String(error);
      shown([]);
    }
  }

  const turn = (step: number) => async () => {
    number += step;
    await load();
  };
  onClick('previous', turn(-1));
  onClick('next', turn(1));
  return {
    load() {
      number = 1;
      return load();
    },
  };
}

function row({ name, sku, price, currency, stock, status }: Product): HTMLTableRowElement {
  const made = create('tr');
  const heading = create('th', name);
  heading.scope = 'row';
  const amount = new Intl.NumberFormat('en', { style: 'currency', currency }).format(price);
  const cells = [
    ['SKU', sku, 'code'],
    ['Price', amount, 'number'],
    ['Stock', String(stock), 'number'],
    ['Status', status.toLowerCase(), ''],
  ] as const;
  made.append(heading);
  for (const [title, text, className] of cells) {
    const cell = create('td', text, className);
    // On narrow screens, each row is a list of its cells.
    cell.dataset['title'] = title;
    made.append(cell);
  }
  return made;
}
