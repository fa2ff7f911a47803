import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// A server's persistent keys: its secrets and its certificate authority.
struct ServerKeys: Sendable {
    /// The secrets from the file `secrets`.
    ///
    /// The secret in the first line is used for signing.
    let secrets: ServerSecrets
    /// The certificate authority from the files `ca.key` and `ca.pem`.
    ///
    /// A new authority is valid for about 20 years.
    let authority: CertificateAuthority

    /// Reads the keys in a data folder.
    ///
    /// If the folder contains neither keys nor a database, new keys are created. This initializer blocks
    /// while another process holds the folder's lock.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - time: Determines the validity period of a new certificate authority.
    ///   - random: The random source for new secrets.
    ///   - othersExist: Whether other nodes use the same database. If this is `true`, the folder must already
    ///     contain the keys that the other nodes use, and no new keys are created.
    /// - Throws: ``DataFolderError`` if a file is missing or damaged, or if it cannot be created.
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

    /// Reads the existing keys in a data folder, without creating any.
    ///
    /// The result is `nil` if keys are missing that a server would create.
    ///
    /// - Throws: ``DataFolderError`` if a file is damaged, or missing although there is a database.
    init?(existingIn folder: DataFolder) throws {
        let (secretsFile, keyFile) = (folder.file("secrets"), folder.file("ca.key"))
        for file in [secretsFile, keyFile] where !file.exists {
            try Self.refuseIfUsed(folder, missing: file, othersExist: false)
        }
        let secrets = secretsFile.exists ? try Self.secrets(in: secretsFile) : nil
        let authority = keyFile.exists ? try Self.authority(in: folder) : nil
        guard let secrets, let authority else { return nil }
        self.init(secrets: secrets, authority: authority)
    }

    private init(secrets: ServerSecrets, authority: CertificateAuthority) {
        self.secrets = secrets
        self.authority = authority
    }

    /// Reads the secrets, or creates the first one if the file doesn't exist.
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
        return try secrets(in: file)
    }

    /// Reads the secrets.
    ///
    /// Each line of the file contains one secret in Base64URL. The first secret is used for signing. All
    /// secrets are used for verification.
    private static func secrets(in file: PrivateFile) throws -> ServerSecrets {
        let lines = try file.text().split(whereSeparator: \.isNewline)
        let secrets = lines.map { Base64URL.decode($0) ?? [] }
        guard let signing = secrets.first, secrets.allSatisfy({ $0.count >= 16 }) else {
            throw DataFolderError(
                "\(file.path) does not contain valid secrets: each line must be Base64URL of at least 16 bytes"
            )
        }
        return ServerSecrets(signing: signing, older: Array(secrets.dropFirst()))
    }

    /// Reads the certificate authority, or creates it if it doesn't exist.
    ///
    /// The key is written last. A certificate without a key file has never been used, so it can be replaced.
    private static func authority(
        in folder: DataFolder,
        time: any TimeSource,
        othersExist: Bool
    ) throws -> CertificateAuthority {
        let key = folder.file("ca.key")
        if !key.exists {
            try refuseIfUsed(folder, missing: key, othersExist: othersExist)
            let made = try CertificateAuthority.make(
                commonName: "Latchkey devices",
                notBefore: time.now - .seconds(300),
                notAfter: time.now + .seconds(20 * 366 * 86_400)
            )
            try folder.file("ca.pem").replace(with: Array(made.certificate.pem.utf8))
            try key.replace(with: Array(made.keyPEM().exposed.utf8))
        }
        return try authority(in: folder)
    }

    /// Reads the certificate authority.
    private static func authority(in folder: DataFolder) throws -> CertificateAuthority {
        let (key, certificate) = (folder.file("ca.key"), folder.file("ca.pem"))
        do {
            return try CertificateAuthority(
                keyPEM: Secret(key.text()),
                certificatePEM: certificate.text()
            )
        } catch let error as CryptoError {
            throw DataFolderError("\(key.path) and \(certificate.path) cannot be used: \(error)")
        }
    }

    /// Throws an error if a key file is missing even though a database already exists.
    ///
    /// New keys would silently invalidate everything that was signed with the missing keys.
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
