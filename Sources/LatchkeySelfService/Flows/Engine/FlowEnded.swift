/// Thrown to roll back a transaction whose flow has expired or was completed by another request.
///
/// Because of the rollback, the submitted code or password has no effect. The flow catches the error and
/// responds with a replacement.
struct FlowEnded: Error {}
