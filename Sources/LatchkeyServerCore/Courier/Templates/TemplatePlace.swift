import LatchkeyModel

/// What can be put into a template.
enum TemplatePlace: String, CaseIterable {
    /// The one-time code.
    case code
    /// How long the code is good, in words: "10 minutes".
    case lifespan
    /// The same as a number of minutes.
    case minutes
    /// What people know the service as.
    case app
    /// The service as a part of a sentence, or nothing: " for Shop".
    case forApp = "for_app"
    /// The service as a part of a sentence, or nothing: " at Shop".
    case atApp = "at_app"
    /// The address that the message goes to.
    case address
    /// The network address of the request that caused the message.
    case ipAddress = "ip_address"
    /// The same as a part of a sentence, or nothing: " from 192.0.2.1".
    case fromIPAddress = "from_ip_address"
}

/// What fills the places of one message.
struct TemplateValues {
    let code: String?
    let lifespan: Duration
    let language: Language
    let app: String?
    let address: String
    let ipAddress: String?

    subscript(place: TemplatePlace) -> String {
        switch place {
        case .code: code ?? ""
        case .lifespan: language.words(for: lifespan)
        case .minutes: "\(max(1, lifespan.components.seconds / 60))"
        case .app: app ?? ""
        case .forApp: app.map(language.forApp) ?? ""
        case .atApp: app.map(language.atApp) ?? ""
        case .address: address
        case .ipAddress: ipAddress ?? ""
        case .fromIPAddress: ipAddress.map(language.fromIPAddress) ?? ""
        }
    }
}
