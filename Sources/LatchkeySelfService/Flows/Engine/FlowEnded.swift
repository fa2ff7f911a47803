/// The flow was completed by another request, or has expired; thrown within transactions.
struct FlowEnded: Error {}
