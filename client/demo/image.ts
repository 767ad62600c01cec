import { ApiError, withProgress, type Session } from '../src/index.ts';
import { downloadProductImage, uploadProductImage, type Product } from '../src/operations.ts';
import { create, element } from './elements.ts';

/** Sets up the upload of an image. Returns a function that sets the selectable products. */
export function createImageCard(session: Session): (products: readonly Product[]) => void {
  const select = element<HTMLSelectElement>('product');
  const bar = element<HTMLProgressElement>('upload');
  const text = element('upload-text');

  async function upload(): Promise<void> {
    const productId = select.value;
    const name = select.selectedOptions[0]?.textContent ?? '';
    const file = element<HTMLInputElement>('file').files?.[0] ?? (await drawSample(name));
    const transport = withProgress(({ sentBytes, totalBytes }) => {
      bar.value = sentBytes / totalBytes;
    });
    const { data } = await uploadProductImage(session, { body: { file, productId } }, { transport });
    text.textContent = `Uploaded ${data.size} bytes of ${data.contentType}`;
    await show(productId, data.index ?? 0, name);
  }

  async function show(productId: string, index: number, name: string): Promise<void> {
    const { data } = await downloadProductImage(session, { path: { productId, index: String(index) } });
    const image = element<HTMLImageElement>('image');
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(data);
    image.alt = `Image ${index + 1} of ${name}`;
    element('image-caption').textContent = `Image ${index + 1} of ${name}, read back from the service`;
    element('figure').hidden = false;
  }

  element<HTMLFormElement>('image-form').addEventListener('submit', (event) => {
    event.preventDefault();
    bar.value = 0;
    text.textContent = 'Uploading …';
    upload().catch((error: unknown) => {
      text.textContent = error instanceof ApiError ? `Not uploaded: ${error.message} (${error.code})` : String(error);
    });
  });

  return (products) => {
    const options = products.map(({ id, name }) => {
      const option = create('option', name);
      option.value = id;
      return option;
    });
    select.replaceChildren(...options);
  };
}

const WIDTH = 480;
const HEIGHT = 320;

/** Draws an image with the product's name. */
async function drawSample(name: string): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d')!;
  const sky = context.createLinearGradient(0, 0, WIDTH, HEIGHT);
  sky.addColorStop(0, '#1f6f5c');
  sky.addColorStop(1, '#e0b04c');
  context.fillStyle = sky;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#ffffff';
  context.font = '600 32px system-ui, sans-serif';
  context.fillText(name, 28, HEIGHT - 36, WIDTH - 56);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No image could be drawn'))), 'image/png');
  });
}
