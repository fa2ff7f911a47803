/// Thrown to roll back a transaction whose flow has expired or was completed by another request.
///
/// The rollback undoes all changes that the submitted code or password has caused. The flow catches the error
/// and responds with a replacement.
struct FlowEnded: Error {}
