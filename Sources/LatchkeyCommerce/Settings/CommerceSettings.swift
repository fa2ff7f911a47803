import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The settings of the purchase API, which is off unless a catalog is configured.
public struct CommerceSettings: Sendable {
    /// The path of the catalog, a JSON5 file; `nil` switches the purchase API off.
    public var catalog: String?

    /// The code of the region (ISO 3166-1 alpha-2) for users whose region is unknown or not served.
    ///
    /// `nil` uses the only storefront of the catalog; a catalog with several storefronts requires the setting.
    public var defaultRegion: String?

    /// How long a payment can remain without a result before it is cancelled.
    ///
    /// Must be between 1 minute and 7 days.
    public var paymentTimeout: Duration = .seconds(3600)

    /// How long a deferred transaction waits for its confirmation before it fails.
    ///
    /// Must be between 1 minute and 30 days.
    public var confirmationTimeout: Duration = .seconds(86_400)

    /// How long payments with the sandbox card for time-outs have no result.
    ///
    /// Must be between zero and 1 day.
    public var sandboxDelay: Duration = .seconds(30)

    /// Creates settings with default values, with which the purchase API is off.
    public init() {}

    /// The keys, kinds and summaries of these settings.
    package static let settings: [Setting<CommerceSettings>] = [
        Setting(
            "commerce.catalog",
            member: \.catalog,
            kind: .optional(.text),
            summary: "The JSON5 file with the products; the purchase API is off without it."
        ),
        Setting(
            "commerce.default_region",
            member: \.defaultRegion,
            kind: .region,
            summary:
                "The region of users whose region is unknown or not served. Required if the catalog has several storefronts."
        ),
        Setting(
            "commerce.payment_timeout",
            member: \.paymentTimeout,
            kind: .duration(.seconds(60) ... .seconds(7 * 86_400)),
            summary: "How long a payment can remain without a result before it is cancelled."
        ),
        Setting(
            "commerce.confirmation_timeout",
            member: \.confirmationTimeout,
            kind: .duration(.seconds(60) ... .seconds(30 * 86_400)),
            summary: "How long a deferred transaction waits for its confirmation before it fails."
        ),
        Setting(
            "commerce.sandbox_delay",
            member: \.sandboxDelay,
            kind: .duration(.zero ... .seconds(86_400)),
            summary: "How long payments with the sandbox card for time-outs have no result."
        ),
    ]
}

extension SettingKind<String?> {
    /// The code of a region (ISO 3166-1 alpha-2) in upper case.
    fileprivate static let region = SettingKind(wanted: "a country code such as AT") {
        input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        guard let region = Region(text) else {
            throw SettingMismatch(input, wanted: "a country code such as AT")
        }
        return region.code
    } show: {
        $0.map { .string($0) } ?? .null
    }
}
