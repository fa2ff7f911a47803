/// An error within a transaction: the flow was completed by another request, or has expired.
///
/// It rolls the transaction back, so that a code or a password takes no effect. The flow catches it and
/// responds with a replacement.
struct FlowEnded: Error {}
