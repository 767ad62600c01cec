<?php
// Encodes a request and reads it again. Calls need the extension grpc.
spl_autoload_register(function (string $class): void {
    $path = strtr($class, '\\', '/') . '.php';
    foreach ([__DIR__ . '/gen', '/usr/share/php'] as $folder) {
        if (is_file("$folder/$path")) {
            require "$folder/$path";
            return;
        }
    }
});

use Authservice\Error\V1\Reason;
use Authservice\Identity\V1\AuthenticateRequest;

$request = new AuthenticateRequest(['bearer_token' => 'a token']);
$read = new AuthenticateRequest();
$read->mergeFromString($request->serializeToString());
echo $read->getBearerToken(), ' ', Reason::name(Reason::REASON_NOT_FOUND), ' ', $read->getCredential(), "\n";
