/** Links two packages called error.v1 into one process. */
public final class Vendor {
  public static void main(String[] args) {
    var ours = authservice.error.v1.Reason.REASON_CONFLICT;
    var theirs = com.vendor.error.v1.Reason.REASON_SOLD_OUT;
    System.out.println(ours.getDescriptorForType().getFullName() + "\n" + ours);
    System.out.println(theirs.getDescriptorForType().getFullName() + "\n" + theirs);
  }
}
