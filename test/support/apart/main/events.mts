/** An event that a listener can hold up. */
export class HeldEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}
