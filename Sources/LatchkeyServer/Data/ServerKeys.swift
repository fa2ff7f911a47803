import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// The persistent keys of a server, which are its secrets and its certificate authority.
struct ServerKeys: Sendable {
    /// The secrets from the file `secrets`, of which the one in the first line is used for signing.
    let secrets: ServerSecrets
    /// The authority from the files `ca.key` and `ca.pem`, which is valid for about 20 years when it is new.
    let authority: CertificateAuthority

    /// Reads the keys in a data folder, or creates them if the folder contains neither keys nor a database.
    ///
    /// The initializer blocks while another process holds the lock of the folder.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - time: The clock, which determines the validity period of a new authority.
    ///   - random: The source of new secrets.
    ///   - othersExist: Whether other nodes use the same database, in which case their keys are required and
    ///     no keys are created.
    /// - Throws: ``DataFolderError`` if a file is missing, damaged or cannot be created.
    init(
        in folder: DataFolder,
        time: any TimeSource,
        random: any RandomSource,
        othersExist: Bool = false
    ) throws {
        self = try folder.exclusively {
            ServerKeys(
                secrets: try Self.secrets(in: folder, random: random, othersExist: othersExist),
                authority: try Self.authority(in: folder, time: time, othersExist: othersExist)
            )
        }
    }

    private init(secrets: ServerSecrets, authority: CertificateAuthority) {
        self.secrets = secrets
        self.authority = authority
    }

    /// Reads the secrets, one per line in Base64URL.
    ///
    /// The first one is used for signing, and all are used for verification.
    private static func secrets(
        in folder: DataFolder,
        random: any RandomSource,
        othersExist: Bool
    ) throws -> ServerSecrets {
        let file = folder.file("secrets")
        if !file.exists {
            try refuseIfUsed(folder, missing: file, othersExist: othersExist)
            try file.replace(with: Array((Base64URL.encode(random.bytes(32)) + "\n").utf8))
        }
        let lines = String(decoding: try file.contents(), as: UTF8.self).split(whereSeparator: \.isNewline)
        let secrets = lines.map { Base64URL.decode($0) ?? [] }
        guard let signing = secrets.first, secrets.allSatisfy({ $0.count >= 16 }) else {
            throw DataFolderError(
                "\(file.path) does not contain valid secrets: each line must be Base64URL of at least 16 bytes"
            )
        }
        return ServerSecrets(signing: signing, older: Array(secrets.dropFirst()))
    }

    /// Reads the certificate authority, or creates it.
    ///
    /// The key is written last, so a certificate without a key file has never been used and can be replaced.
    private static func authority(
        in folder: DataFolder,
        time: any TimeSource,
        othersExist: Bool
    ) throws -> CertificateAuthority {
        let key = folder.file("ca.key")
        let certificate = folder.file("ca.pem")
        if !key.exists {
            try refuseIfUsed(folder, missing: key, othersExist: othersExist)
            let made = try CertificateAuthority.make(
                commonName: "Latchkey devices",
                notBefore: time.now - .seconds(300),
                notAfter: time.now + .seconds(20 * 366 * 86_400)
            )
            try certificate.replace(with: Array(made.certificate.pem.utf8))
            try key.replace(with: Array(made.keyPEM().exposed.utf8))
        }
        do {
            return try CertificateAuthority(
                keyPEM: Secret(String(decoding: key.contents(), as: UTF8.self)),
                certificatePEM: String(decoding: certificate.contents(), as: UTF8.self)
            )
        } catch let error as CryptoError {
            throw DataFolderError("\(key.path) and \(certificate.path) cannot be used: \(error)")
        }
    }

    /// Throws an error if a database exists, because new keys would silently invalidate everything that was
    /// signed with the missing keys.
    private static func refuseIfUsed(
        _ folder: DataFolder,
        missing file: PrivateFile,
        othersExist: Bool
    ) throws(DataFolderError) {
        if othersExist {
            throw DataFolderError("\(file.path) is missing: \(IdentityServerError.sharedKeys)")
        }
        guard folder.database.exists else { return }
        throw DataFolderError(
            "\(file.path) is missing, but \(folder.database.path) exists; restore the file from a backup"
        )
    }
}
