/// A credential or another way to submit flows, such as a password or a code.
///
/// Everything about a method is in its own folder. The server has a list of all methods.
package protocol SignInMethod: Sendable {
    /// Returns the form of the method in a kind of flow, or `nil` if such flows don't have the method.
    static func form(in kind: FlowKind, settings: FormSettings) -> (any MethodForm)?

    init(_ services: MethodServices)

    /// Returns the method in a kind of flow, or `nil` if such flows don't have it.
    func method(in kind: FlowKind) -> (any FlowMethod)?
}
