import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The settings for the purchase API.
///
/// The API is disabled unless a catalog is configured.
public struct CommerceSettings: Sendable {
    /// The path of the catalog, which is a JSON5 file.
    ///
    /// If this is `nil`, the purchase API is disabled.
    public var catalog: String?

    /// The code of the default region (ISO 3166-1 alpha-2).
    ///
    /// This region is used for users whose region is unknown or has no storefront. If this is `nil`, the
    /// catalog must have exactly one storefront, which is the default.
    public var defaultRegion: String?

    /// How long a payment can remain pending before it is cancelled.
    ///
    /// The timeout must be between 1 minute and 7 days.
    public var paymentTimeout: Duration = .seconds(3600)

    /// How long the user has to confirm a deferred transaction before it fails.
    ///
    /// The timeout must be between 1 minute and 30 days.
    public var confirmationTimeout: Duration = .seconds(86_400)

    /// How long payments with the sandbox's timeout card remain pending.
    ///
    /// The delay must be between 0 seconds and 1 day.
    public var sandboxDelay: Duration = .seconds(30)

    /// Creates settings with their default values.
    ///
    /// The purchase API is disabled by default.
    public init() {}

    /// Defines the settings of the purchase API.
    package static let settings: [Setting<CommerceSettings>] = [
        Setting(
            "commerce.catalog",
            member: \.catalog,
            kind: .optional(.text),
            summary: "The JSON5 file that contains the products. Without it, the purchase API is disabled."
        ),
        Setting(
            "commerce.default_region",
            member: \.defaultRegion,
            kind: .region,
            summary:
                "The region for users whose region is unknown or has no storefront. Required if the catalog has several storefronts."
        ),
        Setting(
            "commerce.payment_timeout",
            member: \.paymentTimeout,
            kind: .duration(.seconds(60) ... .seconds(7 * 86_400)),
            summary: "How long a payment can remain pending before it is cancelled."
        ),
        Setting(
            "commerce.confirmation_timeout",
            member: \.confirmationTimeout,
            kind: .duration(.seconds(60) ... .seconds(30 * 86_400)),
            summary: "How long the user has to confirm a deferred transaction before it fails."
        ),
        Setting(
            "commerce.sandbox_delay",
            member: \.sandboxDelay,
            kind: .duration(.zero ... .seconds(86_400)),
            summary: "How long payments with the sandbox's timeout card remain pending."
        ),
    ]
}

extension SettingKind<String?> {
    /// The code of a region (ISO 3166-1 alpha-2) in uppercase.
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
