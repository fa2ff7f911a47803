/// An error in a transaction whose flow was completed by another request or has expired.
///
/// It rolls back the transaction, so a code or a password has no effect. The flow catches the error and
/// responds with a replacement.
struct FlowEnded: Error {}
