import { Account } from './account';

export default function Page() {
  return (
    <main>
      <h1>Shop</h1>
      <Account />
    </main>
  );
}
