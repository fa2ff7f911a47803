import LatchkeyModel

/// A record as a version of this package wrote it; files of a version that was released never change.
struct StoredFormat {
    let server: String
    let app: String
    let record: String
    let generation: UInt64
    let key: [UInt8]
    let fileName: String
    let file: [UInt8]

    /// Format 1.
    static let first = StoredFormat(
        server: "https://id.example.com",
        app: "com.example.shop",
        record: "a record of format 1",
        generation: 66_866_807_627_322_380,
        key: Base64URL.decode("iamBe4pvRrMB3VDQpujrnM_Jq2b7ZKcSlpm3yq2NaDc") ?? [],
        fileName: "session-ef8b30fc067565a64c053e0a2e3172da",
        file: Base64URL.decode(
            "bGF0Y2hrZXkBAO2PAdvkFAzvizD8BnVlpkwFPgouMXLajpWEGkG8haSm-rCtRCXHhgdPHwk3d9-iuP2-yys31wJcZfOtTLNQz-cOOTmk"
                + "Dh2ZWJBvh1cnc6DYEvLJkb1yJQ"
        ) ?? []
    )
}
