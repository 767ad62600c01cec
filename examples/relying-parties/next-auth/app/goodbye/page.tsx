export default function Goodbye() {
  return <p>You are logged out.</p>;
}
