/// The kind of client that a flow was started for.
///
/// The type only decides which ``FlowResponder`` responds. The raw values are Kratos's names.
package enum FlowType: String, Sendable, CaseIterable {
    /// A native app, which receives JSON and stores its token itself.
    case api
    /// A browser, which is identified by cookies.
    case browser
}
