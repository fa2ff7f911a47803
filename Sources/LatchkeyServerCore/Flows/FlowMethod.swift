/// The method that a submission names.
enum FlowMethod {
    case password
    case disabled
    case unknown

    /// Kratos's methods that other configurations of it have and this server does not.
    private static let others: Set<String> = ["code", "oidc", "saml", "profile"]

    init(_ name: String?, passwordEnabled: Bool) {
        self =
            switch name {
            case "password"?: passwordEnabled ? .password : .disabled
            case let name? where Self.others.contains(name): .disabled
            default: .unknown
            }
    }
}
