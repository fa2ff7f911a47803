import LatchkeyModel

/// A placeholder in a message template, with the name between `{{` and `}}` as the raw value.
enum TemplatePlace: String, CaseIterable {
    /// The one-time code.
    case code
    /// The lifespan of the code in words, such as "10 minutes", or the time until a deletion.
    case lifespan
    /// The lifespan of the code in minutes, as a number of at least 1.
    case minutes
    /// The display name of the service; empty if the service has none.
    case app
    /// The service name as a phrase, such as " for Shop"; empty if the service has no name.
    case forApp = "for_app"
    /// The service name as a phrase, such as " at Shop"; empty if the service has no name.
    case atApp = "at_app"
    /// The recipient's address.
    case address
    /// The client address of the request that triggered the message; empty if it is unknown.
    case ipAddress = "ip_address"
    /// The client address as a phrase, such as " from 192.0.2.1"; empty if it is unknown.
    case fromIPAddress = "from_ip_address"
}

/// The values of the placeholders for one message.
struct TemplateValues {
    /// The one-time code; `nil` if the kind of message has none.
    let code: String?
    /// The lifespan of the code, or the time until a deletion; fractions of a second are ignored.
    let lifespan: Duration
    /// The language of the phrases.
    let language: Language
    /// The display name of the service; `nil` if it has none.
    let app: String?
    /// The phone number or e-mail address of the recipient.
    let address: String
    /// The client's network address, without the port; `nil` if the message omits the address.
    let ipAddress: String?

    /// The unescaped value of a placeholder; empty if the message has no value for it.
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
